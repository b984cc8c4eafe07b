/** Tests that clients get their response or are disconnected in time when the gateway receives
 * SIGTERM.
 */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { aDecisionBody } from '../support/builders.ts'
import { onEnd } from '../support/cleanup.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import { readAll } from '../support/kafka.ts'
import { waitUntil } from '../support/wait-until.ts'

const limits = {
  SHUTDOWN_UNREADY_MS: '500',
  PRODUCE_DEADLINE_MS: '3000',
  SHUTDOWN_DEADLINE_MS: '5000'
}

interface Caller {
  readonly socket: Socket
  text(): string
  isCut(): boolean
}

async function callerOf(url: string): Promise<Caller> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let [text, isCut] = ['', false]
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.on('error', () => {})
  socket.on('close', () => (isCut = true))
  onEnd(async () => void socket.destroy())
  await waitUntil('it is connected', () => !socket.connecting)
  return { socket, text: () => text, isCut: () => isCut }
}

test('the gateway exits in time with code 0, whatever its callers do', async () => {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  const gateway = await sluice.start('gateway', limits)
  const client = clientOf(gateway, tenant)
  const { body: session } = await client.login(tenant.email, tenant.password)
  const post = (id: string, length = 0): string => {
    const body = JSON.stringify({ ...aDecisionBody(), decision_id: id })
    return (
      `POST /v1/ingest HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.api_key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length + length}\r\n\r\n${body}`
    )
  }
  const ids = Array.from({ length: 40 }, () => randomUUID())
  const [idle, half, head, pipelined, deaf] = [
    await callerOf(gateway.url),
    await callerOf(gateway.url),
    await callerOf(gateway.url),
    await callerOf(gateway.url),
    await callerOf(gateway.url)
  ]
  const first = randomUUID()
  idle.socket.write(post(first))
  await waitUntil('the idle one has its response', () => idle.text().includes(' 202 '))
  half.socket.write(post(randomUUID(), 50))
  head.socket.write('POST /v1/ingest HTTP/1.1\r\nhost: x\r\nauth')
  deaf.socket.write(
    `GET /v1/decisions/tail HTTP/1.1\r\nhost: x\r\n` +
      `authorization: Bearer ${String(session['access_token'])}\r\n\r\n`
  )
  await waitUntil('the tail has started', () => deaf.text().includes('200 OK'))
  deaf.socket.pause()
  pipelined.socket.write(ids.map((id) => post(id)).join(''))
  expect(await gateway.stop()).toBe(0)
  deaf.socket.resume()
  for (const caller of [idle, half, head, pipelined, deaf]) {
    await waitUntil('the connection is closed', caller.isCut)
  }
  // Pipelined requests get a response only if they were admitted before the shutdown.
  const acknowledged = [...pipelined.text().matchAll(/"decision_id":"([^"]+)"/g)].map(
    ([, id]) => id
  )
  const stored = new Map<unknown, number>()
  for (const { headers } of await readAll(sluice.topics.decisions)) {
    const id = headers['decision_id']
    stored.set(id, (stored.get(id) ?? 0) + 1)
  }
  expect(new Set([first, ...acknowledged])).toEqual(new Set(stored.keys()))
  expect([...stored.values()].filter((times) => times !== 1)).toEqual([])
})
