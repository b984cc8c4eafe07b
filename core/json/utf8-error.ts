/** Where bytes stop being UTF-8. Only error paths come here: `isUtf8` judges, this finds the
 *  place. */

/** Index of the first byte that is no part of a character, or null when all of it is UTF-8. */
export function utf8ErrorAt(bytes: Buffer): number | null {
  // What cannot be decoded becomes U+FFFD, so the two differ from there on. One that was sent as
  // U+FFFD comes out as the same three bytes and is no difference.
  const repaired = Buffer.from(bytes.toString('utf8'), 'utf8')
  if (repaired.equals(bytes)) return null
  let at = 0
  while (at < bytes.length && bytes[at] === repaired[at]) at += 1
  // A character cut short may begin like U+FFFD itself: it is named by its first byte.
  while (isContinuation(repaired[at])) at -= 1
  return at
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
