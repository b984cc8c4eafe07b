/** The form of API keys: `slk_<environment>_<12 of id>_<32 of secret><6 of checksum>`, in base62.
 *
 * The checksum is the CRC32 of everything before it, so a key that was not copied whole is known
 * without asking anybody.
 */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const checksumChars = 6
const form = /^slk_[a-z0-9]{1,16}_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/
/** Of CRC32 as zip has it, which Node offers only since version 20. */
const polynomial = 0xedb88320

/** What is wrong with the key as such; null when nothing is. */
export function keyFlawOf(apiKey: string): string | null {
  if (!form.test(apiKey)) {
    return `it has ${apiKey.length} characters and not the form slk_<environment>_<id>_<secret>`
  }
  const isWhole = apiKey.slice(-checksumChars) === checksumOf(apiKey.slice(0, -checksumChars))
  return isWhole ? null : 'its checksum is wrong: a character is missing or was changed'
}

/** As much of a key as may be seen. */
export function keyShown(apiKey: string): string {
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
