/** Tests that a request always has an outcome, even without a response. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { decisionOf, postDecision } from '../../../../deploy/load/post-decision.ts'

let status = 202
let body: string | null = '{}'
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    if (body === null) request.socket.destroy()
    else response.writeHead(status).end(body)
  })
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

test.each([
  [202, '{"queued":true}', 'acknowledged'],
  [429, '{"code":"rate_limited"}', 'rejected: 429 rate_limited'],
  [503, '{}', 'rejected: 503 '],
  [200, null, 'no response: UND_ERR_SOCKET']
] as const)('%d %s is %s', async (answered, text, outcome) => {
  status = answered
  body = text
  expect(await postDecision({ url, apiKey: 'slk' }, decisionOf(1))).toBe(outcome)
})
