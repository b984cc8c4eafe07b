/** Parses JSON without changing the digits of numbers. Members keep their order, except that
 * integer names come first.
 */

interface Source {
  readonly source?: string
}

/** JSON functions that Node has but TypeScript's types lack. */
interface ExactJSON {
  parse(text: string, revive: (name: string, value: unknown, context: Source) => unknown): unknown
  rawJSON(text: string): object
}

const json = JSON as unknown as ExactJSON

/**
 * Parses JSON. Numbers become raw JSON objects, which are serialized with their original digits.
 * @throws {SyntaxError}
 */
export function parseExactly(text: string): unknown {
  return json.parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' ? json.rawJSON(source) : value
  )
}
