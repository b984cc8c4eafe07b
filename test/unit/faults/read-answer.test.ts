/** How an answer is read: what it says of each decision, and what is wrong with its form. */
import { describe, expect, test } from '@jest/globals'
import { problems } from '../../../core/problem.ts'
import type { ProblemCode } from '../../../core/problem.ts'
import type { Answer } from '../../faults/post.ts'
import { readAnswer } from '../../faults/read-answer.ts'

function problemOf(code: ProblemCode): Record<string, unknown> {
  const { status, retryable } = problems[code]
  return { code, status, retryable, decision_id: 'a' }
}

function refusal(code: ProblemCode, changes: Record<string, unknown> = {}): Answer {
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

function batch(status: number, results: unknown): Answer {
  return { status, headers: {}, body: JSON.stringify({ results }) }
}

describe('a single decision', () => {
  test('is acknowledged by its own id only', () => {
    const answer = { status: 202, headers: {}, body: '{"decision_id":"a","queued":true}' }
    const acknowledged = { kind: 'acknowledged', status: 202, code: '' }
    expect(readAnswer(answer, ['a'], false)).toEqual({ outcomes: [acknowledged], complaints: [] })
    expect(readAnswer(answer, ['b'], false).complaints).toHaveLength(1)
  })

  test('is unknown where the log did not acknowledge, refused otherwise', () => {
    const unknown = { kind: 'unknown', status: 503, code: 'log_unavailable' }
    const refused = { kind: 'refused', status: 503, code: 'overloaded' }
    const read = (code: ProblemCode) => readAnswer(refusal(code), ['a'], false)
    expect(read('log_unavailable')).toEqual({ outcomes: [unknown], complaints: [] })
    expect(read('overloaded')).toEqual({ outcomes: [refused], complaints: [] })
  })

  test.each([
    ['another id', refusal('log_unavailable', { decision_id: 'b' })],
    ['no word on retrying', refusal('overloaded', { retryable: undefined })],
    ['another status', refusal('overloaded', { status: 500 })],
    ['a code that is in no table', refusal('overloaded', { code: 'oops' })],
    ['no Retry-After', { ...refusal('overloaded'), headers: {} }],
    ['no JSON', { ...refusal('overloaded'), body: '<html>' }]
  ])('is complained of with %s', (_, answer) => {
    expect(readAnswer(answer, ['a'], false).complaints).not.toEqual([])
  })
})

describe('a batch', () => {
  test('has an outcome for each item, in order', () => {
    const results = [queued(0, 'a'), failed(1, 'b', 'log_unavailable')]
    const { outcomes, complaints } = readAnswer(batch(207, results), ['a', 'b'], true)
    expect(outcomes.map(({ kind, code }) => `${kind} ${code}`)).toEqual([
      'acknowledged ',
      'unknown log_unavailable'
    ])
    expect(complaints).toEqual([])
  })

  test('that was refused as a whole was refused item by item', () => {
    const { outcomes } = readAnswer(refusal('api_key_invalid'), ['a', 'b'], true)
    expect(outcomes.map(({ code }) => code)).toEqual(['api_key_invalid', 'api_key_invalid'])
  })

  test.each([
    [
      '202 although an item was refused',
      batch(202, [queued(0, 'a'), failed(1, 'b', 'overloaded')])
    ],
    ['207 although all are queued', batch(207, [queued(0, 'a'), queued(1, 'b')])],
    ['items in another order', batch(202, [queued(1, 'b'), queued(0, 'a')])],
    ['an item too few', batch(202, [queued(0, 'a')])],
    ['no results', batch(202, undefined)]
  ])('is complained of with %s', (_, answer) => {
    expect(readAnswer(answer, ['a', 'b'], true).complaints).not.toEqual([])
  })

  test('acknowledges nothing that the answer does not name', () => {
    const { outcomes } = readAnswer(batch(202, undefined), ['a', 'b'], true)
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unknown', 'unknown'])
  })
})
