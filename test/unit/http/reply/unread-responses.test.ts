/** Tests the limit on the bytes of unread responses. Beyond the limit, the connections with the
 * oldest unread responses are closed.
 */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { jsonReply } from '../../../../http/call.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, converse, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

const get = 'GET / HTTP/1.1\r\nhost: x\r\n'
const mebibyte = 1024 * 1024
const long = JSON.stringify('x'.repeat(16 * mebibyte))

let served: Served
const clients: Socket[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await served.close()
})

function askAndReadNothing(): void {
  const client = connect(served.port, '127.0.0.1')
  client.on('error', () => {})
  client.pause()
  clients.push(client)
  client.write(`${get}\r\n`)
}

function connections(): Promise<number> {
  return new Promise((resolve) => served.server.getConnections((_, count) => resolve(count)))
}

function cuts(): number {
  return served.metrics.counts.filter(({ labels }) => labels['reason'] === 'unread').length
}

test('closes the oldest unread responses, but not one that is being read', async () => {
  let made = 0
  const handle = async () => {
    made += 1
    return jsonReply(200, long)
  }
  served = await serve([aRoute('get', '/', handle)], { unreadBytesMax: 40 * mebibyte })
  for (let nth = 1; nth <= 6; nth++) {
    askAndReadNothing()
    await waitUntil(`${nth} are created`, () => made === nth)
  }
  await waitUntil('the first are closed', () => cuts() === 4)
  const text = await converse(served.port, `${get}connection: close\r\n\r\n`)
  expect(text.length).toBeGreaterThan(long.length)
  await waitUntil('one more is closed', async () => cuts() === 5 && (await connections()) === 1)
})

test('does not close a single response because of its size', async () => {
  const handle = async () => jsonReply(200, long)
  served = await serve([aRoute('get', '/', handle)], { unreadBytesMax: mebibyte })
  const text = await converse(served.port, `${get}connection: close\r\n\r\n`)
  expect(text.length).toBeGreaterThan(long.length)
  expect(cuts()).toBe(0)
})

test('does not count bytes that all responses share', async () => {
  const bytes = Buffer.alloc(16 * mebibyte)
  let made = 0
  const handle = async () => {
    made += 1
    return { status: 200, headers: {}, body: '', bytes, isShared: true }
  }
  served = await serve([aRoute('get', '/', handle)], { unreadBytesMax: mebibyte })
  for (let nth = 1; nth <= 6; nth++) {
    askAndReadNothing()
    await waitUntil(`${nth} are created`, () => made === nth)
  }
  const text = await converse(served.port, `${get}connection: close\r\n\r\n`)
  expect(text.length).toBeGreaterThan(bytes.length)
  await waitUntil('the others are still open', async () => (await connections()) === 6)
  expect(cuts()).toBe(0)
})
