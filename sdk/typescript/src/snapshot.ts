/** Takes snapshots of values that may change before their decision is logged. */
import { Captured } from './captured.ts'
import { writeValue } from './encode-value.ts'
import { startEncoding, tooLarge } from './encoding.ts'
import { unreadable } from './simplify.ts'

export type CapturedField = 'input' | 'output'

/** Encodes an object that is the value of a whole field. Returns any other value unchanged. */
export type Snapshot = (value: unknown, field: CapturedField) => unknown

/** `maxLength` is the maximum length of a decision, in UTF-16 code units. */
export function createSnapshot(maxLength: number): Snapshot {
  return (value, field) => {
    if (typeof value !== 'object' || value === null) return value
    const encoding = startEncoding(maxLength)
    encoding.keys[0] = field
    try {
      writeValue(encoding, value)
      return new Captured(encoding.text, encoding)
    } catch (error) {
      if (error !== tooLarge) return unreadable(error)
      return new Captured(undefined, encoding)
    }
  }
}
