/** Parses the JSON of encoded decisions, which has no whitespace and a limited depth.
 *
 * JSON.parse is not used because it rounds large integers. In V8 it can also misread an escaped
 * member name that follows a similar one (nodejs/node#63785).
 */
interface Reader {
  readonly text: string
  at: number
}

/**
 * Keeps every member, including one named `__proto__`. Integers that a number would round become
 * bigints.
 */
export function readEncoded(text: string): unknown {
  return readValue({ text, at: 0 })
}

function readValue(reader: Reader): unknown {
  switch (reader.text[reader.at]) {
    case '{':
      return Object.fromEntries(readItems(reader, '}', readMember))
    case '[':
      return readItems(reader, ']', readValue)
    case '"':
      return readText(reader)
    default:
      return readScalar(reader)
  }
}

function readItems<T>(reader: Reader, end: string, readItem: (reader: Reader) => T): T[] {
  const items: T[] = []
  while (reader.text[++reader.at] !== end) {
    items.push(readItem(reader))
    if (reader.text[reader.at] === end) break
  }
  reader.at++
  return items
}

function readMember(reader: Reader): [string, unknown] {
  const name = readText(reader)
  reader.at++
  return [name, readValue(reader)]
}

function readText(reader: Reader): string {
  const { text, at } = reader
  let end = at
  do end = text.indexOf('"', end + 1)
  while (isEscaped(text, end))
  reader.at = end + 1
  const literal = text.slice(at + 1, end)
  return literal.includes('\\') ? (JSON.parse(`"${literal}"`) as string) : literal
}

/** Checks whether an odd number of backslashes precedes the position. */
function isEscaped(text: string, at: number): boolean {
  let from = at
  while (text[from - 1] === '\\') from--
  return (at - from) % 2 === 1
}

function readScalar(reader: Reader): unknown {
  const { text, at } = reader
  while (!',]}'.includes(text.charAt(reader.at))) reader.at++
  const literal = text.slice(at, reader.at)
  const value = JSON.parse(literal) as unknown
  return typeof value === 'number' && String(value) !== literal ? BigInt(literal) : value
}
