/** Tests the table of problems, and the response body of a problem. */
import { describe, expect, test } from '@jest/globals'
import { Problem, problemBody, problems } from '../../../core/problem.ts'

const rows = Object.entries(problems)

describe('the table', () => {
  test.each(rows)('%s has a name, an error status and a self-contained title', (code, row) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(row.status).toBeGreaterThanOrEqual(400)
    expect(row.status).toBeLessThan(600)
    expect(row.title).toMatch(/^[A-Z].*[^.]$/)
  })

  test('has a different title for each problem', () => {
    expect(new Set(rows.map(([, row]) => row.title)).size).toBe(rows.length)
  })

  test('marks as retryable exactly the problems that time may solve', () => {
    const mayPass = (status: number): boolean => [408, 429].includes(status) || status >= 500
    const differing = rows.filter(([, row]) => row.retryable !== mayPass(row.status))
    expect(differing).toEqual([])
  })
})

describe('a problem', () => {
  test('is an error with the detail as message, and keeps its cause', () => {
    const cause = new Error('connection refused')
    const problem = new Problem('log_unavailable', { detail: 'Send it again.', cause })
    expect(problem).toBeInstanceOf(Error)
    expect(problem).toMatchObject({
      name: 'Problem',
      message: 'Send it again.',
      code: 'log_unavailable',
      status: 503,
      cause
    })
  })

  test('extended keeps its own members and headers before the new ones', () => {
    const problem = new Problem('overloaded', {
      detail: 'The service is overloaded.',
      members: { limit_bytes: 1 },
      headers: { 'retry-after': '1' }
    })
    const extended = problem.extended({
      members: { limit_bytes: 2, decision_id: 'a' },
      headers: { 'retry-after': '9', 'ratelimit-policy': 'q' }
    })
    expect(extended).toMatchObject({ code: 'overloaded', message: 'The service is overloaded.' })
    expect(extended.options.members).toEqual({ limit_bytes: 1, decision_id: 'a' })
    expect(extended.options.headers).toEqual({ 'retry-after': '1', 'ratelimit-policy': 'q' })
    expect(problem.options.members).toEqual({ limit_bytes: 1 })
  })

  test('extended is the same problem, with the same errors and cause', () => {
    const cause = new Error('inner')
    const errors = [{ pointer: '/output', detail: 'is required' }]
    const problem = new Problem('invalid_decision', { detail: 'Fix it.', errors, cause })
    expect(problem.extended({})).toMatchObject({ cause, options: { errors } })
  })
})

describe('the body of a problem', () => {
  test('has the members of RFC 9457 and those of Sluice, in order', () => {
    const errors = [{ pointer: '/output', detail: 'is required' }]
    const members = { decision_id: 'd-1' }
    const problem = new Problem('invalid_decision', { detail: 'Fix it.', errors, members })
    expect(JSON.stringify(problemBody(problem, 'request-1'))).toBe(
      JSON.stringify({
        type: 'urn:sluice:problem:invalid_decision',
        title: 'The decision is not valid',
        status: 422,
        detail: 'Fix it.',
        code: 'invalid_decision',
        retryable: false,
        request_id: 'request-1',
        decision_id: 'd-1',
        errors
      })
    )
  })

  test('reveals neither headers nor cause, and has no errors if there are none', () => {
    const problem = new Problem('internal_error', {
      detail: 'Try again.',
      headers: { 'retry-after': '1' },
      cause: new Error('password of the database')
    })
    expect(Object.keys(problemBody(problem, 'r'))).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'code',
      'retryable',
      'request_id'
    ])
  })
})
