/** Each answer of a gateway, and of what else may answer in its place. */
import { describe, expect, test } from '@jest/globals'
import { readVerdict } from '../../../../../sdk/typescript/src/verdict.ts'

const results = JSON.stringify({
  results: [
    { queued: true },
    { queued: false, retryable: true },
    { queued: false, retryable: false },
    { queued: 'yes' },
    null
  ]
})
const fates = ['sent', 'again', 'refused', 'again', 'again']

function verdict(status: number, body: string | undefined, retryAfter?: string) {
  return readVerdict({ status, body, retryAfter }, ['a', 'b', 'c', 'd', 'e'], 0)
}

describe('verdict', () => {
  test.each([202, 207, 200, 429, 503])('%i with a result for each is judged by them', (status) => {
    expect(verdict(status, results, '2')).toEqual({ kind: 'judged', fates, retryAfterMs: 2000 })
  })

  test.each([
    ['no JSON', '<html>Welcome</html>'],
    ['nothing', ''],
    ['too much', undefined],
    ['no object', 'null'],
    ['no results', '{"results":7}'],
    ['another number of results', '{"results":[{"queued":true}]}'],
    [
      'a result for another decision',
      results.replace('{', '{"decision_id":"z",').replace('[{', '[{"decision_id":"z",')
    ]
  ])('202 with %s is no acknowledgement', (_, body) => {
    expect(verdict(202, body)).toEqual({ kind: 'again', retryAfterMs: 0 })
  })

  test.each([408, 425, 429, 500, 502, 503, 504, 599, 204, 100])('%i: again', (status) => {
    expect(verdict(status, '', '1')).toEqual({ kind: 'again', retryAfterMs: 1000 })
  })

  test.each([400, 402, 409, 415, 418, 422, 431])('%i: refused', (status) => {
    expect(verdict(status, results)).toEqual({ kind: 'refused' })
  })

  test.each([401, 403, 404, 405, 301, 302, 307, 308])('%i: set up wrongly', (status) => {
    expect(verdict(status, results)).toEqual({ kind: 'misconfigured' })
  })

  test('413: in smaller pieces', () => {
    expect(verdict(413, '')).toEqual({ kind: 'split' })
  })
})
