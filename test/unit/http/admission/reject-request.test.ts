/** Tests that admission control rejects a request immediately, with a problem, and keeps the
 * connection usable.
 */
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

/**
 * Sends a request that stays in progress until `release` is called. The server admits one request
 * at a time.
 */
async function busy(): Promise<void> {
  handled = 0
  const released = new Promise<void>((resolve) => (release = resolve))
  const slow = aRoute('post', '/slow', async () => {
    await released
    return jsonReply(200, '"slow"')
  })
  const quick = aRoute('post', '/quick', async (call) => {
    handled += 1
    return jsonReply(200, await call.useBody({}, async (body) => String(body.length)))
  })
  served = await serve([slow, quick], { requestsMax: 1 })
  open('POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n')
  await waitUntil('it is in progress', () => served.httpLimits.admission.inProgress() === 1)
}

afterEach(async () => {
  release()
  for (const socket of sockets.splice(0)) socket.destroy()
  await served.close()
})

/** Sends bytes and collects the response. */
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

describe('a request beyond the limit', () => {
  test('gets a problem with Retry-After, and is counted', async () => {
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

  test('leaves the connection usable: the next request is served once there is room', async () => {
    await busy()
    const { socket, text } = open(`${head}content-length: 2\r\n\r\n{}`)
    await waitUntil('it is rejected', () => statuses(text()).length === 1)
    release()
    await waitUntil('there is room', () => served.httpLimits.admission.inProgress() === 0)
    socket.write(`${head}content-length: 3\r\n\r\n[1]`)
    await waitUntil('the next is answered', () => statuses(text()).length === 2)
    expect(statuses(text())).toEqual(['HTTP/1.1 503', 'HTTP/1.1 200'])
    expect(handled).toBe(1)
  })

  test.each([
    ['long', `content-length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`],
    ['in chunks', `transfer-encoding: chunked\r\n\r\nf4240\r\n${'x'.repeat(1e6)}\r\n0\r\n\r\n`]
  ])(
    'is answered before its body is read, and the next request is read: %s',
    async (_what, rest) => {
      await busy()
      const { socket, text } = open(`${head}${rest.slice(0, 200)}`)
      await waitUntil('it is rejected', () => statuses(text()).length === 1)
      socket.write(rest.slice(200))
      socket.write(`${head}content-length: 0\r\n\r\n`)
      await waitUntil('the next is answered', () => statuses(text()).length === 2)
      expect(statuses(text())).toEqual(['HTTP/1.1 503', 'HTTP/1.1 503'])
      expect(served.httpLimits.bodies.bytes()).toBe(0)
    }
  )

  test('gets no 100 Continue', async () => {
    await busy()
    const answer = await converse(
      served.port,
      `${head}expect: 100-continue\r\ncontent-length: 5\r\n\r\n`
    )
    expect(statuses(answer)).toEqual(['HTTP/1.1 503'])
  })

  test('is not read for a while when it is repeated at once, and is then answered', async () => {
    await busy()
    const accepted = new Set<Socket>()
    served.server.on('connection', (each: Socket) => accepted.add(each))
    const { text, socket } = open('')
    const request = `${head}content-length: 0\r\n\r\n`
    // Sends a request after each response, like a caller that retries immediately.
    socket.on('data', () => socket.write(request))
    for (let at = 0; at < 20; at++) open(request.repeat(200))
    socket.write(request)
    await waitUntil('it has been answered a few times', () => statuses(text()).length >= 3)
    expect(new Set(statuses(text()))).toEqual(new Set(['HTTP/1.1 503']))
    await waitUntil('one is not being read', () => [...accepted].some((each) => each.isPaused()))
    const before = statuses(text()).length
    await waitUntil('the responses continue', () => statuses(text()).length > before)
  })
})
