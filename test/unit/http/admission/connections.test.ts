/** Tests which connections are closed to make room for new ones: idle ones, and first those that
 * never sent a complete request.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { jsonReply } from '../../../../http/call.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, converse, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

let served: Served
const sockets: Socket[] = []
const held: (() => void)[] = []

afterEach(async () => {
  for (const release of held.splice(0)) release()
  for (const socket of sockets.splice(0)) socket.destroy()
  await served.close()
})

async function start(connectionsMax: number): Promise<void> {
  const quick = aRoute('post', '/quick', async () => jsonReply(200, '{}'))
  const slow = aRoute('post', '/slow', async () => {
    await new Promise<void>((resolve) => held.push(resolve))
    return jsonReply(200, '{}')
  })
  served = await serve([quick, slow], { connectionsMax })
}

async function open(from: string, text: string) {
  const socket = connect({ port: served.port, host: '127.0.0.1', localAddress: from })
  sockets.push(socket)
  let read = ''
  let isClosed = false
  socket.on('data', (chunk) => (read += chunk.toString()))
  socket.on('error', () => {})
  socket.on('close', () => (isClosed = true))
  await once(socket, 'connect')
  socket.write(text)
  return { text: () => read, isClosed: () => isClosed }
}

const half = 'POST /quick HTTP/1.1\r\nhost: x\r\n'
const whole = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`
const last = `${half}connection: close\r\ncontent-length: 0\r\n\r\n`

test('half-sent requests of one network neither block others nor close busy ones', async () => {
  await start(100)
  const keepsAlive = await open('127.0.0.2', whole('/quick'))
  const isServed = await open('127.0.0.1', whole('/slow'))
  await waitUntil('both have arrived', () => keepsAlive.text().includes('200') && held.length === 1)
  for (let made = 0; made < 300; made++) await open('127.0.0.1', half)
  const answer = await waitUntil('another caller is answered', async () => {
    const text = await converse(served.port, last)
    return text.includes('200 OK') ? text : null
  })
  expect(answer).toContain('200 OK')
  expect([keepsAlive.isClosed(), isServed.isClosed()]).toEqual([false, false])
  expect(served.metrics.labelsOf('sluice_shed_total')).toContainEqual({ reason: 'connections' })
})

test('within a network, closes connections that never sent a request first', async () => {
  await start(20)
  const used = await open('127.0.0.1', whole('/quick'))
  await waitUntil('it was answered', () => used.text().includes('200'))
  const unused: Awaited<ReturnType<typeof open>>[] = []
  for (let made = 0; made < 19; made++) unused.push(await open('127.0.0.1', half))
  await open('127.0.0.1', half)
  await waitUntil('the oldest is closed', () => unused[0]?.isClosed() === true)
  expect([used.isClosed(), unused[1]?.isClosed()]).toEqual([false, false])
})

test('closes a connection beyond the limit when none is idle', async () => {
  await start(2)
  await open('127.0.0.1', whole('/slow'))
  await open('127.0.0.1', whole('/slow'))
  await waitUntil('both are being served', () => held.length === 2)
  expect(await converse(served.port, last)).toBe('')
  expect(served.metrics.labelsOf('sluice_shed_total')).toEqual([{ reason: 'connections' }])
})

test('keeps the connections of a fleet on one network and closes half-sent ones', async () => {
  await start(200)
  const fleet: Awaited<ReturnType<typeof open>>[] = []
  for (let made = 0; made < 40; made++) fleet.push(await open('127.0.0.1', whole('/quick')))
  await waitUntil('all are answered', () => fleet.every(({ text }) => text().includes('200')))
  for (let made = 0; made < 300; made++) await open(`127.0.1.${made % 30}`, half)
  const answer = await waitUntil('one more of the fleet is answered', async () => {
    const text = await converse(served.port, last)
    return text.includes('200 OK') ? text : null
  })
  expect(answer).toContain('200 OK')
  expect(fleet.filter(({ isClosed }) => isClosed())).toEqual([])
})
