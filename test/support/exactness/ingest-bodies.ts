/** Generates random bodies for `POST /v1/ingest`: valid, borderline and invalid ones. */
import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { mutatedText, objectText, spaceText, stringText } from '../../unit/core/json/json-texts.ts'
import { surrogateText, valueText } from '../../unit/core/json/json-texts.ts'
import { naughtyStrings, spellings } from './naughty-strings.ts'

/** Generates the usual value nine times out of ten. */
function mostly<T>(usual: Arbitrary<T>, rare: Arbitrary<T>): Arbitrary<T> {
  return fc.oneof({ arbitrary: usual, weight: 9 }, { arbitrary: rare, weight: 1 })
}

const naughty = fc.constantFrom(...naughtyStrings)

/** Generates texts whose length in code points is the maximum, one less, or rarely one more. */
function edgeOf(lengthMax: number): Arbitrary<string> {
  const length = mostly(fc.constantFrom(lengthMax - 1, lengthMax), fc.constant(lengthMax + 1))
  // Random code points do not compress, so they show whether the longest text fits in an index.
  const any = length
    .chain((size) => fc.string({ unit: 'binary', minLength: size, maxLength: size }))
    .map((text) => text.replaceAll('\u0000', '\u0001'))
  const one = fc
    .tuple(fc.constantFrom('a', 'é', '返', '👟', '\u{10ffff}', '"', '\\', '\u007f'), length)
    .map(([unit, size]) => unit.repeat(size))
  return fc.oneof(any, one)
}

/** Generates a text as a JSON string literal in a random spelling. */
function literalOf(text: Arbitrary<string>): Arbitrary<string> {
  const spelling = fc.constantFrom(...Object.values(spellings))
  return fc.tuple(text, spelling).map(([characters, spell]) => spell(characters))
}

/**
 * Generates short texts. Texts that may be rejected are rare, because a single one makes the whole
 * body invalid.
 */
function shortText(lengthMax: number): Arbitrary<string> {
  const withinReach = naughty.filter((text) => !text.includes('\u0000') && text.length <= lengthMax)
  const plain = literalOf(fc.oneof(withinReach, edgeOf(lengthMax)))
  const rare = fc.oneof(stringText, surrogateText, literalOf(naughty), fc.constant('7'))
  return fc.oneof(
    { arbitrary: plain, weight: 20 },
    { arbitrary: fc.constantFrom('null', '""'), weight: 2 },
    { arbitrary: rare, weight: 1 }
  )
}

const longText = literalOf(
  fc.oneof(
    naughty,
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: fc.constantFrom('\u0000', '"', '\\', '\n', 'a', '👟'), maxLength: 300 })
  )
)

const countText = mostly(
  fc.oneof(
    fc.maxSafeNat().map(String),
    fc.constantFrom('0', '-0', '0.0', '1e3', '1.0', 'null', '100e-2', '9007199254740991'),
    fc.constantFrom('9007199254740990', '9007199254740991.0', '9.007199254740991e15')
  ),
  fc.constantFrom('-1', '1.5', '9007199254740992', '1e400', '"1"', 'true')
)

/**
 * Generates a UUID of any version, in lower, upper or mixed case. The gateway does not check the
 * version.
 */
const idText: Arbitrary<string> = fc
  .tuple(fc.stringMatching(/^[0-9a-f]{32}$/), fc.constantFrom(0, 1, 2))
  .map(([hex, way]) => {
    const plain = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    const mixed = plain.replaceAll(/[a-c]/g, (digit) => digit.toUpperCase())
    return JSON.stringify([plain, plain.toUpperCase(), mixed][way])
  })

const wrongId = fc.constantFrom(
  ...['""', '"x"', '1', '"{01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55}"', 'null'],
  '"01938c4e5b7a7c3e9f002f6d1c1b8a55"'
)

/** Generates the text of a member, or null if the member is absent. */
function maybe(text: Arbitrary<string>): Arbitrary<string | null> {
  return fc.option(text, { nil: null, freq: 3 })
}

const memberTexts = fc.record({
  input: mostly(fc.oneof(valueText, longText), surrogateText),
  output: mostly(longText, fc.oneof(stringText, surrogateText, fc.constant('null'))),
  decision_id: mostly(idText, wrongId),
  agent_id: maybe(shortText(255)),
  session_id: maybe(shortText(1000)),
  domain: maybe(shortText(100)),
  sdk_version: maybe(shortText(100)),
  metadata: maybe(
    mostly(
      objectText.map(({ text }) => text),
      valueText
    )
  ),
  input_tokens: maybe(countText),
  output_tokens: maybe(countText),
  unknown: maybe(valueText)
})

type Spaces = readonly [string, string, string]

function bodyOf(members: Record<string, string | null>, [a, b, c]: Spaces, seed: number): string {
  const present = Object.entries(members).flatMap(([name, text]) =>
    text === null ? [] : [`${a}"${name}"${b}:${c}${text}`]
  )
  const cut = seed % present.length
  return `{${[...present.slice(cut), ...present.slice(0, cut)].join(',')}${b}}${a}`
}

const wholeBody: Arbitrary<string> = fc
  .tuple(memberTexts, fc.tuple(spaceText, spaceText, spaceText), fc.nat())
  .map(([members, spaces, seed]) => bodyOf(members, spaces, seed))

/**
 * Generates mostly well-formed bodies, with rotated members and arbitrary whitespace, and some
 * mutated or truncated bodies.
 */
export const ingestBody: Arbitrary<string> = mostly(
  wholeBody,
  fc.oneof(
    mutatedText,
    fc.tuple(wholeBody, fc.nat()).map(([text, at]) => text.slice(0, at % text.length))
  )
)
