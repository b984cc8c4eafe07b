/** API key format: `slk_<environment>_<id>_<secret><checksum>`, in base62.
 *
 * The id has 12 characters, the secret 32 and the checksum 6. The checksum is the CRC32 of
 * everything before it, so an incomplete copy is detected without a request.
 */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const checksumChars = 6
const form = /^slk_[a-z0-9]{1,16}_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/
/** Reversed polynomial of the CRC32 that zip uses. Node 18 has no `zlib.crc32`. */
const polynomial = 0xedb88320

/** Describes what is wrong with the format of the key; returns null if the key is well-formed. */
export function findKeyFlaw(apiKey: string): string | null {
  if (!form.test(apiKey)) {
    return `its ${apiKey.length} characters do not match slk_<environment>_<id>_<secret>`
  }
  const isWhole = apiKey.slice(-checksumChars) === checksumOf(apiKey.slice(0, -checksumChars))
  return isWhole ? null : 'the checksum does not match: a character is missing or was changed'
}

/** Returns the prefix of the key, which is safe to show, followed by an ellipsis. */
export function maskKey(apiKey: string): string {
  const [start = ''] = /^slk_[a-z0-9]{1,16}_/.exec(apiKey) ?? []
  return `${start}…`
}

function checksumOf(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let place = 0; place < checksumChars; place++) {
    text = alphabet.charAt(rest % alphabet.length) + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}

function crc32(text: string): number {
  let crc = 0xffffffff
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0)
  }
  return ~crc >>> 0
}
