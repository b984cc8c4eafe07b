/** Formats a dead-letter record as text or as JSON. */
import { shortTime } from '../iso-time.ts'
import { formatTable } from '../../core/format-table.ts'
import { plainText } from '../plain-text.ts'
import type { DecodedRecord } from '../records/decode-record.ts'
import { originalHeadersOf } from '../../platform/kafka/dead-letter-origin.ts'
import type { DeadLetterOrigin } from '../../platform/kafka/dead-letter-origin.ts'
import { recordLine } from '../records/record-line.ts'
import type { DeadLetterRecord } from './read-dead-letters.ts'

const bytesPerLine = 16
/** Maximum number of bytes shown in a hex dump. */
const dumpBytesMax = 64 * 1024

/** Returns one JSON object: the record as `recordLine` prints it, plus state, headers and bytes. */
export function formatDeadLetterJson(record: DeadLetterRecord, described: DecodedRecord): string {
  const { message, state } = record
  const more = { state, headers: headersOf(record), value_base64: base64Of(message.value) }
  return `${JSON.stringify(more).slice(0, -1)},${recordLine(described, { payload: true }).slice(1)}`
}

export function formatDeadLetter(record: DeadLetterRecord, described: DecodedRecord): string[] {
  const { message, state } = record
  const { topic, partition, offset, timestamp, key, value } = message
  const bytes = value ?? Buffer.alloc(0)
  const rows = [
    ['record', `${topic} ${partition}/${offset}, written ${shortTime(timestamp)}, ${state}`],
    ...whyRows(record.deadLetter),
    ['key', plainText(key?.toString('utf8') ?? null)],
    ...Object.entries(headersOf(record)).map(([name, text]) => ['header', `${name}: ${text}`]),
    ['value', value === null ? 'none' : `${value.length} bytes`]
  ]
  const content =
    described.kind === 'undecodable'
      ? [`${described.reason}: ${plainText(described.error)}`, ...dump(bytes)]
      : [recordLine(described, { payload: true })]
  return [...formatTable(rows), '', ...content]
}

function whyRows(deadLetter: DeadLetterOrigin | null): string[][] {
  if (deadLetter === null) return [['reason', '- (not written by Sluice)']]
  const { reason, error, group, step, origin } = deadLetter
  return [
    ['reason', plainText(reason)],
    ['error', plainText(error)],
    ['written', `by ${plainText(group)}, at ${plainText(step)}`],
    ['from', `${plainText(origin.topic)} ${origin.partition}/${origin.offset}`]
  ]
}

/** Returns the headers of the original message. */
function headersOf({ message }: DeadLetterRecord): Record<string, string> {
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
  return left === 0 ? lines : [...lines, `… and ${left} more bytes; write all of them with --raw`]
}
