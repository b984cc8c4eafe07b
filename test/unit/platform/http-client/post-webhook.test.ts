/** One webhook to a real receiver: what is sent, and what its answer means. */
import { afterEach, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { createOutbound } from '../../../../platform/http-client/outbound.ts'
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

test('a library of receivers verifies it with the secret, and with no other', async () => {
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
] as const)('answer %#', async (respond, outcome, http_status, wait) => {
  const receiver = await startWebhookReceiver()
  receiver.answer('/', respond)
  const answer = await openPost()({ ...message, url: `${receiver.url}/` })
  expect(answer).toMatchObject({ outcome, http_status })
  expect(answer.error).not.toBeNull()
  // A date in a header has whole seconds.
  const lost = wait === null ? null : wait - (answer.retryAfterMs ?? 0)
  expect(lost === null ? answer.retryAfterMs : lost >= 0 && lost < 1000).toBe(
    wait === null ? null : true
  )
})

test('nothing goes to a private address, and trying again is of no use', async () => {
  const receiver = await startWebhookReceiver()
  const url = receiver.url.replace('http:', 'https:')
  const answer = await openPost(false)({ ...message, url })
  expect(answer).toMatchObject({ outcome: 'refused', http_status: null })
  expect(answer.error).toContain('not on the internet')
  expect(receiver.at('/')).toEqual([])
})

test('a receiver that hangs up is an attempt that failed', async () => {
  const receiver = await startWebhookReceiver()
  receiver.answer('/', (response) => void response.destroy())
  const answer = await openPost()({ ...message, url: `${receiver.url}/` })
  expect(answer).toMatchObject({ outcome: 'failed', http_status: null })
  expect(answer.error).toContain('broke')
})
