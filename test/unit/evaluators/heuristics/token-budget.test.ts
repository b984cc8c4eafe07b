/** Tests token_budget: limits, token counts, and missing counts. */
import { expect, test } from '@jest/globals'
import { aVersion, found } from '../a-version.ts'

test.each<[object, object, boolean, RegExp]>([
  [{ total_max: 30 }, { input_tokens: 10, output_tokens: 20 }, true, /within/],
  [
    { total_max: 29 },
    { input_tokens: 10, output_tokens: 20 },
    false,
    /output tokens: 30, more than 29/
  ],
  [{ input_max: 9 }, { input_tokens: 10, output_tokens: null }, false, /Input tokens: 10/],
  [{ output_max: 0 }, { input_tokens: null, output_tokens: 0 }, true, /within/],
  [{ ratio_max: 1.9 }, { input_tokens: 10, output_tokens: 20 }, false, /per input token: 2, /],
  [{ input_max: 5, output_max: 5 }, { input_tokens: 6, output_tokens: null }, false, /Input/]
])('applies %j to %j', (limits, tokens, passed, reason) => {
  const version = aVersion('heuristic', { check: 'token_budget', ...limits })
  expect(found(version, tokens)).toMatchObject({ passed, reason: expect.stringMatching(reason) })
})

test.each<[object, object]>([
  [{ total_max: 30 }, { input_tokens: 10, output_tokens: null }],
  [
    { input_max: 30, output_max: 30 },
    { input_tokens: 10, output_tokens: null }
  ],
  [{ ratio_max: 3 }, { input_tokens: 0, output_tokens: 5 }]
])('skips %j with %j', (limits, tokens) => {
  const version = aVersion('heuristic', { check: 'token_budget', ...limits })
  expect(found(version, tokens)).toEqual({ kind: 'skipped', status_reason: 'content_missing' })
})
