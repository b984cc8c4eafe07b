/** Tests that pipelined requests are served one at a time, and that their number is limited. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { jsonReply } from '../../../../http/call.ts'
import type { Handle } from '../../../../http/route.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

const stops: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

async function serving(handle: Handle): Promise<Served> {
  const served = await serve([aRoute('get', '/', handle), aRoute('post', '/', handle)])
  stops.push(() => served.close())
  return served
}

interface Client {
  readonly socket: Socket
  statuses(): string[]
}

function dial({ port }: Served): Client {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  socket.on('error', () => {})
  stops.push(() => void socket.destroy())
  return { socket, statuses: () => text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [] }
}

/** Creates handlers that the test releases one by one. */
function gate() {
  const inside: (() => void)[] = []
  let began = 0
  const handle: Handle = async () => {
    began += 1
    await new Promise<void>((resolve) => inside.push(resolve))
    return jsonReply(200, String(began))
  }
  return { handle, began: () => began, letGo: () => inside.shift()?.() }
}

const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
const waitMs = 10_000

test('serves pipelined requests one by one, each after the response before it', async () => {
  const { handle, began, letGo } = gate()
  const client = dial(await serving(handle))
  client.socket.write(get.repeat(3))
  for (const nth of [1, 2, 3]) {
    await waitUntil(`${nth} began`, () => began() === nth, waitMs)
    await new Promise((resolve) => setImmediate(resolve))
    expect(client.statuses()).toHaveLength(nth - 1)
    expect(began()).toBe(nth)
    letGo()
  }
  await waitUntil('all are answered', () => client.statuses().length === 3, waitMs)
})

test('rejects pipelined requests beyond the limit, in order, and no others', async () => {
  const { handle, letGo } = gate()
  const served = await serving(handle)
  const client = dial(served)
  client.socket.write(get.repeat(200))
  const isShed = () => served.metrics.counts.some(({ name }) => name === 'sluice_shed_total')
  await waitUntil('some are rejected', isShed, waitMs)
  const other = dial(served)
  other.socket.write(get)
  const timer = setInterval(letGo, 0)
  stops.push(() => clearInterval(timer))
  await waitUntil('the other is answered', () => other.statuses().length === 1, waitMs)
  await waitUntil('all are answered', () => client.statuses().length === 200, waitMs)
  expect(other.statuses()).toEqual(['200'])
  expect(client.statuses().join(' ')).toBe(`${'200 '.repeat(129)}${'503 '.repeat(71)}`.trim())
})

test('serves any number of pipelined requests of the usual size', async () => {
  const client = dial(
    await serving(async (call) =>
      jsonReply(200, await call.useBody({}, async (body) => String(body.length)))
    )
  )
  const post = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1200\r\n\r\n${'x'.repeat(1200)}`
  client.socket.write(post.repeat(3000))
  await waitUntil('all are answered', () => client.statuses().length === 3000, waitMs)
  expect(new Set(client.statuses())).toEqual(new Set(['200']))
})

test('creates no further responses while none is read', async () => {
  let made = 0
  const large = 'x'.repeat(16 * 1024 * 1024)
  const served = await serving(() => {
    made += 1
    return Promise.resolve(jsonReply(200, large))
  })
  const client = dial(served)
  client.socket.pause()
  client.socket.write(get.repeat(100))
  await waitUntil('the first is created', () => made > 0, waitMs)
  const ping = dial(served)
  ping.socket.write(get)
  await waitUntil('another is served', () => ping.statuses().length === 1, waitMs)
  expect(made).toBeLessThan(5)
})

test('does not serve pipelined requests of a caller that disconnected', async () => {
  const { handle, began, letGo } = gate()
  const served = await serving(handle)
  const client = dial(served)
  client.socket.write(get.repeat(10))
  await waitUntil('the first has started', () => began() === 1, waitMs)
  client.socket.destroy()
  await waitUntil(
    'the server has noticed',
    () => connections(served).then((count) => count === 0),
    waitMs
  )
  letGo()
  await waitUntil(
    'it is no longer in progress',
    () => served.httpLimits.admission.inProgress() === 0,
    waitMs
  )
  expect(began()).toBe(1)
})

function connections({ server }: Served): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
}
