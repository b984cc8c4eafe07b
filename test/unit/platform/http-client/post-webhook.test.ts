/** Tests that a webhook is sent to a real receiver, and how the response is classified. */
import { afterEach, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createOutbound, OutboundError } from '../../../../platform/http-client/outbound.ts'
import type { Outbound } from '../../../../platform/http-client/outbound.ts'
import { createPostWebhook } from '../../../../platform/http-client/post-webhook.ts'
import { newWebhookSecret } from '../../../../platform/http-client/webhook-signature.ts'
import { startWebhookReceiver, status } from '../../../support/webhook-receiver.ts'

const opened: Outbound[] = []
afterEach(() => Promise.all(opened.splice(0).map((outbound) => outbound.close())))

const now = Date.now()
const clock = { now: () => now }
const secret = newWebhookSecret()
const message = { id: 'an-id', payload: '{"text":"Grüße"}', secrets: [secret] }

function openPost(privateAddressesAllowed = true) {
  const outbound = createOutbound({ privateAddressesAllowed })
  opened.push(outbound)
  return createPostWebhook({ outbound, clock })
}

test('a receiver library verifies it with the secret, and with no other', async () => {
  const receiver = await startWebhookReceiver()
  const answer = await openPost()({ ...message, url: `${receiver.url}/` })
  expect(answer).toEqual({
    outcome: 'delivered',
    http_status: 204,
    error: null,
    retryAfterMs: null
  })
  const [received] = receiver.at('/')
  const headers = received?.headers as Record<string, string>
  expect(received?.body).toBe(message.payload)
  expect(new Webhook(secret).verify(received?.body ?? '', headers)).toEqual({ text: 'Grüße' })
  const verifyOther = () => new Webhook(newWebhookSecret()).verify(received?.body ?? '', headers)
  expect(verifyOther).toThrow('No matching signature found')
})

test.each([
  [status(500), 'failed', 500, null],
  [status(429, { 'retry-after': '7' }), 'failed', 429, 7000],
  [status(503, { 'retry-after': new Date(now + 90_000).toUTCString() }), 'failed', 503, 90_000],
  [status(503, { 'retry-after': 'soon' }), 'failed', 503, null],
  [status(302, { location: '/other' }), 'failed', 302, null],
  [status(410), 'gone', 410, null]
] as const)('classifies the response %#', async (respond, outcome, http_status, wait) => {
  const receiver = await startWebhookReceiver()
  receiver.answer('/', respond)
  const answer = await openPost()({ ...message, url: `${receiver.url}/` })
  expect(answer).toMatchObject({ outcome, http_status })
  expect(answer.error).not.toBeNull()
  // HTTP dates have a resolution of one second.
  const lost = wait === null ? null : wait - (answer.retryAfterMs ?? 0)
  expect(lost === null ? answer.retryAfterMs : lost >= 0 && lost < 1000).toBe(
    wait === null ? null : true
  )
})

test('refuses a private address without a retry', async () => {
  const receiver = await startWebhookReceiver()
  const url = receiver.url.replace('http:', 'https:')
  const answer = await openPost(false)({ ...message, url })
  expect(answer).toMatchObject({ outcome: 'refused', http_status: null })
  expect(answer.error).toContain('is not public')
  expect(receiver.at('/')).toEqual([])
})

const late = new DOMException('late', 'TimeoutError')
const reasons: [Error, string][] = [
  [
    new OutboundError('unreachable', 'no connection (ECONNREFUSED)'),
    'no connection (ECONNREFUSED)'
  ],
  [new OutboundError('interrupted', 'the connection was lost'), 'the connection was lost'],
  [late, 'no complete response in 10 seconds']
]

test.each(reasons)('to a public receiver: %s is a failed attempt', async (thrown, error) => {
  const outbound = { fetch: () => Promise.reject(thrown), privateAddressesAllowed: false }
  const answer = await createPostWebhook({ outbound, clock })({ ...message, url: 'https://x.test' })
  expect(answer).toEqual({ outcome: 'failed', http_status: null, error, retryAfterMs: null })
})

test('reports all failures alike where private addresses are allowed', async () => {
  const hangsUp = await startWebhookReceiver()
  hangsUp.answer('/', (response) => void response.destroy())
  const speaksAnother = createServer((socket) => {
    // Reads the request, because a socket that does not read does not detect that the client has
    // closed the connection.
    socket.resume().end('-ERR unknown command\r\n')
  })
  await new Promise<void>((resolve) => speaksAnother.listen(0, '127.0.0.1', resolve))
  const { port } = speaksAnother.address() as AddressInfo
  const urls = [`${hangsUp.url}/`, `http://127.0.0.1:${port}/`, 'http://127.0.0.1:1/']
  const post = openPost()
  const answers = await Promise.all(urls.map((url) => post({ ...message, url })))
  speaksAnother.close()
  const outbound = { fetch: () => Promise.reject(late), privateAddressesAllowed: true }
  answers.push(await createPostWebhook({ outbound, clock })({ ...message, url: 'http://x.test' }))
  const error = 'the receiver could not be reached'
  const alike = { outcome: 'failed', http_status: null, error, retryAfterMs: null }
  expect(answers).toEqual(urls.map(() => alike).concat(alike))
})
