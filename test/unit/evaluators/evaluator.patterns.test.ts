/** Tests that every quantifier is bounded, so that no text makes a pattern slow. */
import { expect, test } from '@jest/globals'
import {
  accountPattern,
  cardPattern
} from '../../../evaluators/heuristics/personal-data/account-numbers.ts'
import { fenceLine } from '../../../evaluators/text/code-fences.ts'
import { emailPattern } from '../../../evaluators/heuristics/personal-data/email-addresses.ts'
import { jsonRequest, otherMeaning } from '../../../evaluators/text/json-request-patterns.ts'
import { detectors } from '../../../evaluators/heuristics/personal-data/personal-data.ts'
import { phonePattern } from '../../../evaluators/heuristics/personal-data/phone-numbers.ts'
import { otherLanguage } from '../../../evaluators/heuristics/language.ts'
import { promptPhrase } from '../../../evaluators/heuristics/prompt-leakage.ts'
import { numberPattern } from '../../../evaluators/similarity/numbers.ts'
import { blockFence } from '../../../evaluators/text/code-block.ts'
import { refusalCue, refusalPhrases } from '../../../evaluators/heuristics/refusal-phrases.ts'
import { secretPattern } from '../../../evaluators/heuristics/personal-data/secrets.ts'

const patterns: [string, RegExp][] = [
  ['announced prompts', promptPhrase],
  ['requests for another language', otherLanguage],
  ['numbers', numberPattern],
  ['code blocks', blockFence],
  ['code fences', fenceLine],
  ['requests for JSON', jsonRequest],
  ['other meanings of JSON', otherMeaning],
  ['a refusal cue', refusalCue],
  ['email addresses', emailPattern],
  ['phone numbers', phonePattern],
  ['payment cards', cardPattern],
  ['IBANs', accountPattern],
  ['secrets', secretPattern],
  ...detectors.map(({ kind, hint }): [string, RegExp] => [`the hint of ${kind}`, hint]),
  ...refusalPhrases.map(({ language, pattern }): [string, RegExp] => [language, pattern])
]

/**
 * Replaces escapes and character classes with `x`, and removes the prefixes of groups. Each `*`,
 * `+` or `{` that remains belongs to a quantifier.
 */
function skeletonOf({ source }: RegExp): string {
  return source
    .replaceAll(/\\(?:[pP]\{\w+\}|.)/g, 'x')
    .replaceAll(/\[[^\]]*\]/g, 'x')
    .replaceAll(/\(\?(?:[:=!]|<[=!])/g, '(')
}

test.each(patterns)('has only bounded quantifiers: %s', (_, pattern) => {
  expect(skeletonOf(pattern)).not.toMatch(/[*+]|\{\d+,\}/)
})

test('detects an unbounded quantifier', () => {
  for (const pattern of [/a+/, /[a-z]*b/, /(?:a|b){2,}/, /\d+\+/, /\p{L}+/u]) {
    expect(skeletonOf(pattern)).toMatch(/[*+]|\{\d+,\}/)
  }
  for (const pattern of [/[+*]{1,2}/, /\+\*\{1,}/, /a{1,3}(?<=b)/]) {
    expect(skeletonOf(pattern)).not.toMatch(/[*+]|\{\d+,\}/)
  }
})
