/** A dead letter as somebody reads it: where it is, why, from where, and all that it holds. */
import { shortTime } from '../iso-time.ts'
import { layOut } from '../../core/lay-out.ts'
import { plainText } from '../plain-text.ts'
import type { Described } from '../records/describe.ts'
import { originalHeadersOf } from '../records/letter.ts'
import type { Letter } from '../records/letter.ts'
import { recordLine } from '../records/record-line.ts'
import type { LetterRecord } from './read-letters.ts'

const bytesPerLine = 16
/** Beyond them the bytes are no reading matter. */
const dumpBytesMax = 64 * 1024

/** One JSON object: the record's line, with its state, headers and bytes. */
export function letterJson(record: LetterRecord, described: Described): string {
  const { message, state } = record
  const more = { state, headers: headersOf(record), value_base64: base64Of(message.value) }
  return `${JSON.stringify(more).slice(0, -1)},${recordLine(described, { payload: true }).slice(1)}`
}

export function letterLines(record: LetterRecord, described: Described): string[] {
  const { message, state } = record
  const { topic, partition, offset, timestamp, key, value } = message
  const bytes = value ?? Buffer.alloc(0)
  const rows = [
    ['letter', `${topic} ${partition}/${offset}, written ${shortTime(timestamp)}, ${state}`],
    ...whyRows(record.letter),
    ['key', plainText(key?.toString('utf8') ?? null)],
    ...Object.entries(headersOf(record)).map(([name, text]) => ['header', `${name}: ${text}`]),
    ['value', value === null ? 'none' : `${value.length} bytes`]
  ]
  const content =
    described.kind === 'undecodable'
      ? [`${described.reason}: ${plainText(described.error)}`, ...dump(bytes)]
      : [recordLine(described, { payload: true })]
  return [...layOut(rows), '', ...content]
}

function whyRows(letter: Letter | null): string[][] {
  if (letter === null) return [['reason', '- (no dead letter of ours)']]
  const { reason, error, group, step, origin } = letter
  return [
    ['reason', plainText(reason)],
    ['error', plainText(error)],
    ['condemned', `by ${plainText(group)}, at ${plainText(step)}`],
    ['from', `${plainText(origin.topic)} ${origin.partition}/${origin.offset}`]
  ]
}

/** Those of the original; ours are told by themselves. */
function headersOf({ message }: LetterRecord): Record<string, string> {
  const entries = Object.entries(originalHeadersOf(message))
  return Object.fromEntries(
    entries.map(([name, value]) => [plainText(name), plainText(value.toString())])
  )
}

function base64Of(value: Buffer | null): string | null {
  return value === null ? null : value.toString('base64')
}

function dump(value: Buffer): string[] {
  const shown = value.subarray(0, dumpBytesMax)
  const lines: string[] = []
  for (let at = 0; at < shown.length; at += bytesPerLine) {
    const bytes = shown.subarray(at, at + bytesPerLine)
    const hex = bytes.toString('hex').replaceAll(/(..)(?=.)/g, '$1 ')
    const text = bytes.toString('latin1').replaceAll(/[^ -~]/g, '.')
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(bytesPerLine * 3)} ${text}`)
  }
  const left = value.length - shown.length
  return left === 0 ? lines : [...lines, `… and ${left} bytes more; --raw writes all of them`]
}
