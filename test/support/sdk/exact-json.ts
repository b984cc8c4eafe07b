/** JSON read without changing it: members keep their order, and numbers their digits. */

interface Source {
  readonly source?: string
}

/** What Node knows of JSON beyond the types that come with the language. */
interface ExactJSON {
  parse(text: string, revive: (name: string, value: unknown, context: Source) => unknown): unknown
  rawJSON(text: string): object
}

const json = JSON as unknown as ExactJSON

/** Numbers become objects that are written as they were read. @throws {SyntaxError} */
export function parseExactly(text: string): unknown {
  return json.parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' ? json.rawJSON(source) : value
  )
}

/** The same text without insignificant whitespace, and each string in its shortest form. */
export function exactTextOf(text: string): string {
  return JSON.stringify(parseExactly(text))
}
