/** What a value is now, whatever becomes of it until its decision is logged. */
import { Captured } from './captured.ts'
import { writeValue } from './encode-value.ts'
import { startEncoding, tooLarge } from './encoding.ts'
import { unreadable } from './simplify.ts'

export type CapturedField = 'input' | 'output'

/** Takes all of a field, which is encoded here and now; what cannot change is left as it is. */
export type Snapshot = (value: unknown, field: CapturedField) => unknown

/** `maxLength` is of the whole decision, in UTF-16 units. */
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
