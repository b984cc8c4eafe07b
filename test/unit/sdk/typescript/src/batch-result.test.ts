/** Tests how responses are read, from a gateway and from other servers. */
import { describe, expect, test } from '@jest/globals'
import { readBatchResult } from '../../../../../sdk/typescript/src/batch-result.ts'

const results = JSON.stringify({
  results: [
    { queued: true },
    { queued: false, retryable: true },
    { queued: false, retryable: false },
    { queued: 'yes' },
    null
  ]
})
const items = ['sent', 'retry', 'refused', 'retry', 'retry']

function resultOf(status: number, body: string | undefined, retryAfter?: string) {
  return readBatchResult({ status, body, retryAfter }, ['a', 'b', 'c', 'd', 'e'], 0)
}

describe('the result of a batch', () => {
  test.each([202, 207, 200, 429, 503])('reads one result per decision from a %i', (status) => {
    expect(resultOf(status, results, '2')).toEqual({ kind: 'items', items, retryAfterMs: 2000 })
  })

  test.each([
    ['a body that is not JSON', '<html>Welcome</html>'],
    ['an empty body', ''],
    ['a body that is too long', undefined],
    ['a body that is not an object', 'null'],
    ['no results', '{"results":7}'],
    ['the wrong number of results', '{"results":[{"queued":true}]}'],
    [
      'a result for another decision',
      results.replace('{', '{"decision_id":"z",').replace('[{', '[{"decision_id":"z",')
    ]
  ])('treats a 202 with %s as no acknowledgement', (_, body) => {
    expect(resultOf(202, body)).toEqual({ kind: 'retry', retryAfterMs: 0 })
  })

  test.each([408, 425, 429, 500, 502, 503, 504, 599, 204, 100])('%i: retry', (status) => {
    expect(resultOf(status, '', '1')).toEqual({ kind: 'retry', retryAfterMs: 1000 })
  })

  test.each([400, 402, 409, 415, 418, 422, 431])('%i: refused', (status) => {
    expect(resultOf(status, results)).toEqual({ kind: 'refused' })
  })

  test.each([401, 403, 404, 405, 301, 302, 307, 308])('%i: misconfigured', (status) => {
    expect(resultOf(status, results)).toEqual({ kind: 'misconfigured' })
  })

  test('413: split', () => {
    expect(resultOf(413, '')).toEqual({ kind: 'split' })
  })
})
