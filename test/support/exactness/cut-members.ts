/** Cuts the members out of a JSON object's bytes, sharing nothing with the scan that is tested. */

export type Cut = { readonly name: string; readonly value: Buffer }

const whiteSpace = /[ \t\n\r]*/y
const string = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const scalar = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/y

/**
 * The members in order, each value as the bytes that stand there, without the space around it.
 * A reader by the grammar: whatever is no JSON object is an error.
 * @throws {SyntaxError}
 */
export function cutMembers(bytes: Buffer): Cut[] {
  // One character for each byte, so that places in the text are places in the bytes.
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

/** The bytes of one member's value; a name that is there twice, or not at all, is an error. */
export function cutMember(bytes: Buffer, name: string): Buffer {
  const [found, ...others] = cutMembers(bytes).filter((cut) => cut.name === name)
  if (found === undefined || others.length > 0) throw new Error(`there is not one "${name}"`)
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

/** Items with commas between them; `readItem` is told where one begins and says where it ends. */
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
  return new SyntaxError(`no JSON at byte ${at}`)
}
