/** Extracts the members of a JSON object as bytes, without the scanner under test. */

type Cut = { readonly name: string; readonly value: Buffer }

const whiteSpace = /[ \t\n\r]*/y
const string = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const scalar = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/y

/**
 * Returns the members in order. Each value is returned as bytes, without surrounding whitespace.
 * @throws {SyntaxError} if the bytes are not a JSON object
 */
export function cutMembers(bytes: Buffer): Cut[] {
  // Latin-1 maps each byte to one character, so that string indexes are byte offsets.
  const text = bytes.toString('latin1')
  const open = skip(whiteSpace, text, 0)
  if (text[open] !== '{') throw wrongAt(open)
  const cuts: Cut[] = []
  const end = readObject(text, open, (name, start, stop) => {
    const literal = bytes.subarray(...name).toString('utf8')
    cuts.push({ name: JSON.parse(literal) as string, value: bytes.subarray(start, stop) })
  })
  if (skip(whiteSpace, text, end) !== text.length) throw wrongAt(end)
  return cuts
}

/**
 * Returns the value of one member as bytes.
 * @throws if the name is missing or duplicated
 */
export function cutMember(bytes: Buffer, name: string): Buffer {
  const [found, ...others] = cutMembers(bytes).filter((cut) => cut.name === name)
  if (found === undefined || others.length > 0) throw new Error(`not exactly one "${name}"`)
  return found.value
}

type OnMember = (name: [number, number], start: number, end: number) => void

function readObject(text: string, open: number, onMember: OnMember): number {
  return readList(text, { open, closer: '}' }, (start) => {
    const nameEnd = skip(string, text, start)
    const colon = skip(whiteSpace, text, nameEnd)
    if (text[colon] !== ':') throw wrongAt(colon)
    const valueStart = skip(whiteSpace, text, colon + 1)
    const valueEnd = readValue(text, valueStart)
    onMember([start, nameEnd], valueStart, valueEnd)
    return valueEnd
  })
}

/**
 * Reads comma-separated items. `readItem` takes the start offset of an item and returns its end
 * offset.
 */
function readList(
  text: string,
  { open, closer }: { open: number; closer: string },
  readItem: (at: number) => number
): number {
  let at = skip(whiteSpace, text, open + 1)
  if (text[at] === closer) return at + 1
  for (;;) {
    at = skip(whiteSpace, text, readItem(at))
    if (text[at] === closer) return at + 1
    if (text[at] !== ',') throw wrongAt(at)
    at = skip(whiteSpace, text, at + 1)
  }
}

function readValue(text: string, at: number): number {
  if (text[at] === '{') return readObject(text, at, () => undefined)
  if (text[at] === '[') {
    return readList(text, { open: at, closer: ']' }, (item) => readValue(text, item))
  }
  return skip(text[at] === '"' ? string : scalar, text, at)
}

function skip(expected: RegExp, text: string, at: number): number {
  expected.lastIndex = at
  if (!expected.test(text)) throw wrongAt(at)
  return expected.lastIndex
}

function wrongAt(at: number): SyntaxError {
  return new SyntaxError(`invalid JSON at byte ${at}`)
}
