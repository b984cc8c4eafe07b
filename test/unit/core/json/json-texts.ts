/** Generates JSON texts with all variations of the grammar: whitespace, escapes and digits. */
import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'

/** A member as written in the text. Both fields are JSON texts. */
interface MemberText {
  readonly name: string
  readonly value: string
}

/** The text of an object, and the members that it was built from, in order. Names can repeat. */
interface ObjectText {
  readonly text: string
  readonly members: readonly MemberText[]
}

export const spaceText: Arbitrary<string> = fc.string({
  unit: fc.constantFrom(' ', '\t', '\r', '\n'),
  maxLength: 3
})

/** Any UTF-16 unit as an escape, with hex digits in either case. */
const unitEscape: Arbitrary<string> = fc
  .tuple(fc.integer({ min: 0, max: 0xffff }), fc.boolean())
  .map(([unit, isUpper]) => escapeOf(unit, isUpper))

const surrogateEscape: Arbitrary<string> = fc
  .tuple(fc.integer({ min: 0xd800, max: 0xdfff }), fc.boolean())
  .map(([unit, isUpper]) => escapeOf(unit, isUpper))

const plainCharacter = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 1 })
  .filter((character) => character >= ' ' && character !== '"' && character !== '\\')

const shortEscape = fc.constantFrom('\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t')
/** Structural characters within strings, which can confuse scanners. */
const bait = fc.constantFrom('{', '}', '[', ']', ',', ':', '\\\\\\"', 'u0022', 'ud83d', ' ')

function escapeOf(unit: number, isUpper: boolean): string {
  const hex = unit.toString(16).padStart(4, '0')
  return `\\u${isUpper ? hex.toUpperCase() : hex}`
}

function literalOf(pieces: readonly Arbitrary<string>[]): Arbitrary<string> {
  return fc
    .array(fc.oneof(...pieces), { maxLength: 8 })
    .map((characters) => `"${characters.join('')}"`)
}

export const stringText = literalOf([plainCharacter, shortEscape, unitEscape, bait])

/**
 * Contains mostly single surrogates, so that pairs, broken pairs and escaped backslashes all occur.
 */
export const surrogateText = literalOf([surrogateEscape, surrogateEscape, shortEscape, bait])

/** Any names, including names that a scanner of objects could treat specially. */
const nameText = fc.oneof(
  stringText,
  fc.constantFrom('"input"', '"\\u0069nput"', '"__proto__"', '"constructor"', '""', '"a\\u0000"')
)

const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})$/)
const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,24}$/))
const exponent = fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,3}$/))

const numberText = fc
  .tuple(fc.constantFrom('', '-'), digits, fraction, exponent)
  .map((parts) => parts.join(''))

function wrapped(open: string, items: readonly string[], close: string): string {
  return open + items.join(',') + close
}

function padded(item: Arbitrary<string>): Arbitrary<string> {
  return fc.tuple(spaceText, item, spaceText).map((parts) => parts.join(''))
}

const { value } = fc.letrec<{ value: string; nested: string; array: string; object: string }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('null', 'true', 'false'),
      numberText,
      stringText,
      tie('nested')
    ),
    nested: fc.oneof(tie('array'), tie('object')),
    array: fc
      .tuple(spaceText, fc.array(padded(tie('value')), { maxLength: 4 }))
      .map(([space, items]) => wrapped(`[${space}`, items, ']')),
    object: fc
      .tuple(spaceText, fc.array(memberOf(tie('value')), { maxLength: 4 }))
      .map(([space, items]) => wrapped(`{${space}`, items, '}'))
  })
)

function memberOf(item: Arbitrary<string>): Arbitrary<string> {
  return fc.tuple(padded(nameText), padded(item)).map((parts) => parts.join(':'))
}

/** Any JSON value, without surrounding whitespace. */
export const valueText: Arbitrary<string> = value

const spacedMember = fc.record({
  name: nameText,
  value: valueText,
  spaces: fc.tuple(spaceText, spaceText, spaceText, spaceText)
})

/** Any JSON object without leading whitespace, and the members it was built from. */
export const objectText: Arbitrary<ObjectText> = fc
  .tuple(spaceText, fc.array(spacedMember, { maxLength: 6 }), spaceText)
  .map(([inside, members, behind]) => {
    const texts = members.map(({ name, value: text, spaces: [a, b, c, d] }) =>
      [a, name, b, ':', c, text, d].join('')
    )
    return { text: wrapped(`{${inside}`, texts, '}') + behind, members }
  })

/** Small pieces of text that make JSON valid or invalid. */
const fragment = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u',
    '\\uD800',
    'u',
    '-',
    '+',
    '..',
    '0',
    '1',
    'e'
  ],
  ...['E', 'true', 'fals', 'null', 'NaN', '/', '/**/', "'", ' ', '\t', '\n', '\f', '\v', '\u00a0'],
  ...['\ufeff', '\u0000', '\u001f', '\u007f', '\u2028', 'é', '😀', '\ud800', '"a"', '"a":1']
)

const mutation = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'repeat', 'replace'),
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 4 }),
  fragment
})

type Mutation = { kind: string; at: number; length: number; fragment: string }

function mutate(text: string, { kind, at, length, fragment: piece }: Mutation): string {
  const start = at % (text.length + 1)
  const cut = text.slice(start, start + length)
  const [before, after] = [text.slice(0, start), text.slice(start)]
  if (kind === 'insert') return before + piece + after
  if (kind === 'delete') return before + after.slice(length)
  if (kind === 'repeat') return before + cut + after
  return before + piece + after.slice(length)
}

/** JSON texts with up to three mistakes. */
export const mutatedText: Arbitrary<string> = fc
  .tuple(padded(valueText), fc.array(mutation, { maxLength: 3 }))
  .map(([text, mutations]) => mutations.reduce(mutate, text))

/** Fragments of JSON in any order. The text is usually invalid, but can be valid by chance. */
export const fragmentSoup: Arbitrary<string> = fc.string({ unit: fragment, maxLength: 12 })
