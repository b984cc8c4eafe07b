/** Tests the parsing of responses: the outcome of each decision, and malformed responses. */
import { describe, expect, test } from '@jest/globals'
import { problems } from '../../../core/problem.ts'
import type { ProblemCode } from '../../../core/problem.ts'
import type { PostResponse } from '../../faults/post.ts'
import { readResponse } from '../../faults/read-response.ts'

function problemOf(code: ProblemCode): Record<string, unknown> {
  const { status, retryable } = problems[code]
  return { code, status, retryable, decision_id: 'a' }
}

function rejection(code: ProblemCode, changes: Record<string, unknown> = {}): PostResponse {
  const headers = { 'content-type': 'application/problem+json', 'retry-after': '2' }
  const body = JSON.stringify({ ...problemOf(code), ...changes })
  return { status: problems[code].status, headers, body }
}

function queued(index: number, id: string): Record<string, unknown> {
  return { index, decision_id: id, queued: true }
}

function failed(index: number, id: string, code: ProblemCode): Record<string, unknown> {
  const { retryable, ...problem } = problemOf(code)
  return { index, decision_id: id, queued: false, retryable, problem }
}

function batch(status: number, results: unknown): PostResponse {
  return { status, headers: {}, body: JSON.stringify({ results }) }
}

describe('a single decision', () => {
  test('is acknowledged only by a response with its id', () => {
    const answer = { status: 202, headers: {}, body: '{"decision_id":"a","queued":true}' }
    const acknowledged = { kind: 'acknowledged', status: 202, code: '' }
    expect(readResponse(answer, ['a'], false)).toEqual({ outcomes: [acknowledged], complaints: [] })
    expect(readResponse(answer, ['b'], false).complaints).toHaveLength(1)
  })

  test('is unknown if Kafka did not acknowledge in time, otherwise rejected', () => {
    const unknown = { kind: 'unknown', status: 503, code: 'log_unavailable' }
    const rejected = { kind: 'rejected', status: 503, code: 'overloaded' }
    const read = (code: ProblemCode) => readResponse(rejection(code), ['a'], false)
    expect(read('log_unavailable')).toEqual({ outcomes: [unknown], complaints: [] })
    expect(read('overloaded')).toEqual({ outcomes: [rejected], complaints: [] })
  })

  test.each([
    ['another id', rejection('log_unavailable', { decision_id: 'b' })],
    ['no retryable', rejection('overloaded', { retryable: undefined })],
    ['another status', rejection('overloaded', { status: 500 })],
    ['an unknown code', rejection('overloaded', { code: 'oops' })],
    ['no Retry-After', { ...rejection('overloaded'), headers: {} }],
    ['no JSON', { ...rejection('overloaded'), body: '<html>' }]
  ])('reports a malformed response: %s', (_, answer) => {
    expect(readResponse(answer, ['a'], false).complaints).not.toEqual([])
  })
})

describe('a batch', () => {
  test('has an outcome for each item, in order', () => {
    const results = [queued(0, 'a'), failed(1, 'b', 'log_unavailable')]
    const { outcomes, complaints } = readResponse(batch(207, results), ['a', 'b'], true)
    expect(outcomes.map(({ kind, code }) => `${kind} ${code}`)).toEqual([
      'acknowledged ',
      'unknown log_unavailable'
    ])
    expect(complaints).toEqual([])
  })

  test('rejects each item if the batch is rejected', () => {
    const { outcomes } = readResponse(rejection('api_key_invalid'), ['a', 'b'], true)
    expect(outcomes.map(({ code }) => code)).toEqual(['api_key_invalid', 'api_key_invalid'])
  })

  test.each([
    [
      '202 although an item was rejected',
      batch(202, [queued(0, 'a'), failed(1, 'b', 'overloaded')])
    ],
    ['207 although all are queued', batch(207, [queued(0, 'a'), queued(1, 'b')])],
    ['items in another order', batch(202, [queued(1, 'b'), queued(0, 'a')])],
    ['a missing item', batch(202, [queued(0, 'a')])],
    ['no results', batch(202, undefined)]
  ])('reports a malformed response: %s', (_, answer) => {
    expect(readResponse(answer, ['a', 'b'], true).complaints).not.toEqual([])
  })

  test('acknowledges no decision that the response does not name', () => {
    const { outcomes } = readResponse(batch(202, undefined), ['a', 'b'], true)
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unknown', 'unknown'])
  })
})
