/** Who is turned away at the door: at once, in the form of every refusal, harming nobody. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { jsonReply } from '../../../../http/call.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, converse, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

let served: Served
let release: () => void
let handled = 0
const sockets: Socket[] = []

/** One request may be in progress; it stays until it is released. */
async function busy(): Promise<void> {
  handled = 0
  const released = new Promise<void>((resolve) => (release = resolve))
  const slow = aRoute('post', '/slow', async () => {
    await released
    return jsonReply(200, '"slow"')
  })
  const quick = aRoute('post', '/quick', async (call) => {
    handled += 1
    return jsonReply(200, String((await call.useBody({}, async (body) => body)).length))
  })
  served = await serve([slow, quick], { requestsMax: 1 })
  open('POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n')
  await waitUntil('it is in progress', () => served.door.admission.inProgress() === 1)
}

afterEach(async () => {
  release()
  for (const socket of sockets.splice(0)) socket.destroy()
  await served.close()
})

/** Sends and keeps what comes back. */
function open(bytes: string | Buffer): { socket: Socket; text(): string } {
  const socket = connect(served.port, '127.0.0.1')
  const chunks: Buffer[] = []
  sockets.push(socket)
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  socket.write(bytes)
  return { socket, text: () => Buffer.concat(chunks).toString('latin1') }
}

const head = 'POST /quick HTTP/1.1\r\nhost: x\r\n'
const statuses = (text: string): string[] => text.match(/HTTP\/1\.1 \d+/g) ?? []

describe('a request too many', () => {
  test('is a problem that says when to come again, and is counted', async () => {
    await busy()
    const { text } = open(`${head}x-request-id: mine\r\ncontent-length: 2\r\n\r\n{}`)
    await waitUntil('it is answered', () => text().endsWith('}'))
    const [top = '', body = ''] = text().split('\r\n\r\n')
    expect(top).toMatch(/^HTTP\/1\.1 503 /)
    expect(top).toContain('content-type: application/problem+json\r\n')
    expect(top).toContain('retry-after: 1\r\n')
    expect(JSON.parse(body)).toMatchObject({
      code: 'overloaded',
      retryable: true,
      request_id: 'mine'
    })
    expect(served.metrics.labelsOf('sluice_shed_total')).toEqual([{ reason: 'requests' }])
  })

  test('does not spoil the connection: the next is served once there is room', async () => {
    await busy()
    const { socket, text } = open(`${head}content-length: 2\r\n\r\n{}`)
    await waitUntil('it is refused', () => statuses(text()).length === 1)
    release()
    await waitUntil('there is room', () => served.door.admission.inProgress() === 0)
    socket.write(`${head}content-length: 3\r\n\r\n[1]`)
    await waitUntil('the next is answered', () => statuses(text()).length === 2)
    expect(statuses(text())).toEqual(['HTTP/1.1 503', 'HTTP/1.1 200'])
    expect(handled).toBe(1)
  })

  test.each([
    ['long', `content-length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`],
    ['in chunks', `transfer-encoding: chunked\r\n\r\nf4240\r\n${'x'.repeat(1e6)}\r\n0\r\n\r\n`]
  ])('is answered before its body is read, and what follows is read: %s', async (_what, rest) => {
    await busy()
    const { socket, text } = open(`${head}${rest.slice(0, 200)}`)
    await waitUntil('it is refused', () => statuses(text()).length === 1)
    socket.write(rest.slice(200))
    socket.write(`${head}content-length: 0\r\n\r\n`)
    await waitUntil('the next is answered', () => statuses(text()).length === 2)
    expect(statuses(text())).toEqual(['HTTP/1.1 503', 'HTTP/1.1 503'])
    expect(served.door.bodies.bytes()).toBe(0)
  })

  test('is not invited to send its body', async () => {
    await busy()
    const answer = await converse(
      served.port,
      `${head}expect: 100-continue\r\ncontent-length: 5\r\n\r\n`
    )
    expect(statuses(answer)).toEqual(['HTTP/1.1 503'])
  })

  test('that comes again and again at once is left unread for a while, and answered', async () => {
    await busy()
    const accepted = new Set<Socket>()
    served.server.on('connection', (each: Socket) => accepted.add(each))
    const { text, socket } = open('')
    const request = `${head}content-length: 0\r\n\r\n`
    // Each is sent when the one before was answered, as a caller without patience does.
    socket.on('data', () => socket.write(request))
    for (let at = 0; at < 20; at++) open(request.repeat(200))
    socket.write(request)
    await waitUntil('it was answered a few times', () => statuses(text()).length >= 3)
    expect(new Set(statuses(text()))).toEqual(new Set(['HTTP/1.1 503']))
    await waitUntil('somebody is left unread', () => [...accepted].some((each) => each.isPaused()))
    const before = statuses(text()).length
    await waitUntil('the answers go on', () => statuses(text()).length > before)
  })
})
