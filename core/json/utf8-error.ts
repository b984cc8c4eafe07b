/** Finds the first byte that is not valid UTF-8. Called only for error messages, after `isUtf8`
 * returned false.
 */
import { isUtf8 } from 'node:buffer'

/**
 * Number of bytes checked at a time. Up to ten million valid bytes can precede the error, and only
 * the window that contains the error is decoded.
 */
const windowBytes = 64 * 1024
const characterBytesMax = 4

/** Returns the index of the first byte that is not valid UTF-8, or null if all bytes are valid. */
export function utf8ErrorAt(bytes: Buffer): number | null {
  for (let start = 0, end; start < bytes.length; start = end) {
    end = characterStart(bytes, start + windowBytes)
    if (isUtf8(bytes.subarray(start, end))) continue
    return start + errorIn(bytes.subarray(start, end + characterBytesMax))
  }
  return null
}

/** Returns `index`, or the start of the character that contains it (up to three bytes before). */
function characterStart(bytes: Buffer, index: number): number {
  let start = Math.min(index, bytes.length)
  while (isContinuation(bytes[start]) && index - start < characterBytesMax - 1) start -= 1
  return start
}

function errorIn(bytes: Buffer): number {
  // Decoding replaces invalid bytes with U+FFFD, so the buffers first differ at the first invalid
  // byte. A U+FFFD that was sent decodes and encodes to the same three bytes.
  const repaired = Buffer.from(bytes.toString('utf8'), 'utf8')
  let at = 0
  while (at < bytes.length && bytes[at] === repaired[at]) at += 1
  // Moves back to the start of the character, because a truncated character may share its first
  // bytes with U+FFFD.
  while (isContinuation(repaired[at])) at -= 1
  return at
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
