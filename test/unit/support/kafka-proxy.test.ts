/** Tests the proxy with a minimal broker that responds with the correlation id of each request. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '../../../stack/ports.ts'
import { onEnd } from '../../support/cleanup.ts'
import {
  createFrameSplitter,
  offsetCommitApiKey,
  produceApiKey,
  readCorrelationId,
  readRequestHeader
} from '../../support/kafka-frames.ts'
import { createKafkaProxy } from '../../support/kafka-proxy.ts'
import type { KafkaProxy } from '../../support/kafka-proxy.ts'
import { waitUntil } from '../../support/wait-until.ts'

const metadataApiKey = 3

/** Correlation ids of the requests that the broker has executed, in order. */
const carriedOut: number[] = []
let proxy: KafkaProxy

beforeAll(async () => {
  const target = `127.0.0.1:${await startBroker()}`
  proxy = await createKafkaProxy({ port: await freePort(), target })
  onEnd(proxy.close)
})

async function startBroker(): Promise<number> {
  const server = createServer((socket) => {
    const split = createFrameSplitter()
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      for (const frame of split(chunk)) {
        const { correlationId } = readRequestHeader(frame)
        carriedOut.push(correlationId)
        const answer = Buffer.alloc(8)
        answer.writeInt32BE(4, 0)
        answer.writeInt32BE(correlationId, 4)
        socket.write(answer)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onEnd(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

type Client = { readonly socket: Socket; readonly answers: number[]; isClosed(): boolean }

async function openClient(): Promise<Client> {
  const socket = connect(Number(proxy.brokers.split(':')[1]), '127.0.0.1')
  const answers: number[] = []
  const split = createFrameSplitter()
  socket.on('data', (chunk: Buffer) => answers.push(...split(chunk).map(readCorrelationId)))
  socket.on('error', () => {})
  await once(socket, 'connect')
  onEnd(() => Promise.resolve(socket.destroy()))
  return { socket, answers, isClosed: () => socket.closed }
}

function requestOf(apiKey: number, correlationId: number): Buffer {
  const frame = Buffer.alloc(14)
  frame.writeInt32BE(10, 0)
  frame.writeInt16BE(apiKey, 4)
  frame.writeInt32BE(correlationId, 8)
  return frame
}

describe('createKafkaProxy', () => {
  test('forwards requests and responses', async () => {
    const client = await openClient()
    client.socket.write(Buffer.concat([requestOf(produceApiKey, 1), requestOf(metadataApiKey, 2)]))
    await waitUntil('both responses', () => client.answers.length === 2)
    expect(client.answers).toEqual([1, 2])
    expect(proxy.produceRequests()).toBe(1)
  })

  test('drops only the response to a Produce request that was executed', async () => {
    const client = await openClient()
    proxy.swallowProduceResponses(1)
    client.socket.write(requestOf(metadataApiKey, 11))
    await waitUntil('the response', () => client.answers.includes(11))
    client.socket.write(requestOf(produceApiKey, 12))
    await waitUntil('the cut', () => client.isClosed())
    expect(carriedOut).toContain(12)
    expect(client.answers).toEqual([11])
    expect(proxy.swallowed()).toBe(1)

    const next = await openClient()
    next.socket.write(requestOf(produceApiKey, 13))
    await waitUntil('the next response', () => next.answers.includes(13))
    expect(proxy.swallowed()).toBe(1)
  })

  test('holds offset commits, forwards later requests, and releases on request', async () => {
    const client = await openClient()
    proxy.holdOffsetCommits()
    const requests = [requestOf(offsetCommitApiKey, 41), requestOf(metadataApiKey, 42)]
    client.socket.write(Buffer.concat(requests))
    await waitUntil('the second response', () => client.answers.includes(42))
    expect(carriedOut).not.toContain(41)
    expect(proxy.heldOffsetCommits()).toBe(1)

    proxy.passOffsetCommits()
    client.socket.write(requestOf(offsetCommitApiKey, 43))
    await waitUntil('the third response', () => client.answers.includes(43))
    expect(carriedOut).not.toContain(41)

    proxy.releaseOffsetCommits()
    await waitUntil('the late response', () => client.answers.includes(41))
    expect(proxy.heldOffsetCommits()).toBe(0)
  })

  test('holds everything while frozen and continues after heal', async () => {
    const client = await openClient()
    client.socket.write(requestOf(metadataApiKey, 21))
    await waitUntil('the response', () => client.answers.includes(21))
    proxy.freeze()
    const late = await openClient()
    client.socket.write(requestOf(metadataApiKey, 22))
    late.socket.write(requestOf(metadataApiKey, 23))
    expect(carriedOut).not.toContain(22)
    await proxy.heal()
    await waitUntil('the response', () => client.answers.includes(22) && late.answers.includes(23))
  })

  test('cuts and refuses connections until heal', async () => {
    const client = await openClient()
    await proxy.refuse()
    await waitUntil('the cut', () => client.isClosed())
    const refused = connect(Number(proxy.brokers.split(':')[1]), '127.0.0.1')
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNREFUSED')
    await proxy.heal()
    const next = await openClient()
    next.socket.write(requestOf(metadataApiKey, 31))
    await waitUntil('the response', () => next.answers.includes(31))
  })
})
