/** Tests how a problem is converted to a response. */
import { expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import { problemReply } from '../../../../http/reply/problem-reply.ts'

test('is problem+json with the members of RFC 9457 and ours, in this order', () => {
  const problem = new Problem('invalid_decision', {
    detail: '/input is required.',
    errors: [{ pointer: '/input', detail: 'is required' }],
    members: { decision_id: 'a' },
    headers: { 'retry-after': '1' }
  })
  const { status, headers, body } = problemReply(problem, 'request-1')
  expect(status).toBe(422)
  expect(headers).toEqual({ 'content-type': 'application/problem+json', 'retry-after': '1' })
  expect(body).toBe(
    JSON.stringify({
      type: 'urn:sluice:problem:invalid_decision',
      title: 'The decision is not valid',
      status: 422,
      detail: '/input is required.',
      code: 'invalid_decision',
      retryable: false,
      request_id: 'request-1',
      decision_id: 'a',
      errors: [{ pointer: '/input', detail: 'is required' }]
    })
  )
})

test('omits the cause', () => {
  const cause = new Error('password=hunter2')
  const problem = new Problem('log_unavailable', { detail: 'Later.', cause })
  expect(problemReply(problem, 'request-1').body).not.toContain('hunter2')
})
