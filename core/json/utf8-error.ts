/** Where bytes stop being UTF-8. Only error paths come here: `isUtf8` judges, this finds the
 *  place. */
import { isUtf8 } from 'node:buffer'

/** So many bytes are looked at closely: a body may have ten million before the wrong one. */
const windowBytes = 64 * 1024
const characterBytesMax = 4

/** Index of the first byte that is no part of a character, or null when all of it is UTF-8. */
export function utf8ErrorAt(bytes: Buffer): number | null {
  for (let start = 0, end; start < bytes.length; start = end) {
    end = characterStart(bytes, start + windowBytes)
    if (isUtf8(bytes.subarray(start, end))) continue
    return start + errorIn(bytes.subarray(start, end + characterBytesMax))
  }
  return null
}

/** At `index`, or up to three bytes before it where it is inside of a character. */
function characterStart(bytes: Buffer, index: number): number {
  let start = Math.min(index, bytes.length)
  while (isContinuation(bytes[start]) && index - start < characterBytesMax - 1) start -= 1
  return start
}

function errorIn(bytes: Buffer): number {
  // What cannot be decoded becomes U+FFFD, so the two differ from there on. One that was sent as
  // U+FFFD comes out as the same three bytes and is no difference.
  const repaired = Buffer.from(bytes.toString('utf8'), 'utf8')
  let at = 0
  while (at < bytes.length && bytes[at] === repaired[at]) at += 1
  // A character cut short may begin like U+FFFD itself: it is named by its first byte.
  while (isContinuation(repaired[at])) at -= 1
  return at
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
