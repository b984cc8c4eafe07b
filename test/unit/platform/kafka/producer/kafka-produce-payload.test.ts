/** Tests that a broker receives the bodies of Produce requests unchanged and in order, among other
 * requests of the same connection.
 */
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { Connection, Writer } from '@platformatic/kafka'
import { createPayload } from '../../../../../platform/kafka/producer/kafka-produce-payload.ts'
import { produceApi } from '../../../../../platform/kafka/producer/kafka-produce-request.ts'
import { createFrameSplitter, readRequestHeader } from '../../../../support/kafka-frames.ts'

const metadataKey = 3
const clientId = 'client'
/** Length 4 · API key 2 · version 2 · correlation id 4 · client id 2 + 6 · tags 1. */
const headBytes = 21
let broker: Awaited<ReturnType<typeof startBroker>>

/** A broker that answers each request with its correlation id alone. */
async function startBroker() {
  const frames: Buffer[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    const split = createFrameSplitter()
    socket.on('data', (chunk) => {
      for (const frame of split(chunk)) {
        frames.push(Buffer.from(frame))
        socket.write(answerTo(frame))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connection = new Connection(clientId, { maxInflights: 2 })
  await connection.connect('127.0.0.1', port)
  return { frames, sockets, server, connection }
}

function answerTo(frame: Buffer): Buffer {
  const answer = Buffer.alloc(9)
  answer.writeInt32BE(5)
  frame.copy(answer, 4, 8, 12)
  return answer
}

function send(key: number, payload: Writer): Promise<unknown> {
  const { connection } = broker
  return new Promise((resolve, reject) => {
    connection.send(
      key,
      9,
      () => payload,
      () => null,
      true,
      true,
      (error) => {
        if (error) reject(error)
        else resolve(null)
      }
    )
  })
}

function bodyOf(index: number): Buffer {
  return Buffer.alloc([0, 1, 5, 300_000, 64 * 1024][index % 5] as number, index)
}

afterEach(async () => {
  for (const socket of broker.sockets) socket.destroy()
  broker.server.close()
  await broker.connection.close().catch(() => {})
})

test('sends each body once, whole and in order', async () => {
  broker = await startBroker()
  const bodies = Array.from({ length: 60 }, (_, index) => bodyOf(index))
  const sent = bodies.map((body, index) =>
    index % 3 === 2
      ? send(metadataKey, Writer.create().append(body))
      : send(produceApi.key, createPayload(broker.connection, body))
  )
  await Promise.all(sent)
  const { frames } = broker
  expect(frames.map((frame) => readRequestHeader(frame).apiKey)).toEqual(
    bodies.map((_, index) => (index % 3 === 2 ? metadataKey : produceApi.key))
  )
  for (const [index, body] of bodies.entries()) {
    expect(frames[index]?.subarray(headBytes).equals(body)).toBe(true)
  }
})

test('rejects a Produce request that was not created with `createPayload`', async () => {
  broker = await startBroker()
  await send(produceApi.key, createPayload(broker.connection, bodyOf(1)))
  const foreign = Writer.create().appendInt32(1)
  await expect(send(produceApi.key, foreign)).rejects.toThrow('has no body')
  expect(broker.frames).toHaveLength(1)
})
