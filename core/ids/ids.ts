/** Creates identifiers: random UUIDv7 for new objects, UUIDv5 for reproducible ids. */
import { hash, randomFillSync } from 'node:crypto'

/** Plain 8-4-4-4-12 hex in either case. Braces, URNs and other spellings are rejected. */
export const uuidPattern =
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'
const uuidExpression = new RegExp(uuidPattern)

const randomPoolBytes = 4096
const randomPerIdBytes = 10
const timestampBytes = 6
/** Reusable buffers for the current id, as bytes and as text. */
const idBytes = Buffer.alloc(16)
const idText = Buffer.alloc(36)
const hyphen = 45
const hyphens = [8, 13, 18, 23]
const digits = Buffer.from('0123456789abcdef', 'latin1')
/** For each byte, the position of its two digits in the text. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const pool = Buffer.alloc(randomPoolBytes)
let poolUsed = randomPoolBytes

export function isUuid(text: string): boolean {
  return uuidExpression.test(text)
}

/** Creates a UUID of RFC 9562 version 7: 48 bits of milliseconds and 74 random bits. */
export function uuidv7(timestampMs: number): string {
  writeUuidv7(timestampMs, idText, 0)
  return idText.toString('latin1')
}

/**
 * Writes a UUID of version 7 as text. Random bytes are drawn in blocks, because one system call per
 * decision is measurably slower.
 */
export function writeUuidv7(timestampMs: number, target: Buffer, start: number): void {
  if (poolUsed + randomPerIdBytes > randomPoolBytes) {
    randomFillSync(pool)
    poolUsed = 0
  }
  idBytes.writeUIntBE(timestampMs, 0, timestampBytes)
  for (let at = timestampBytes; at < idBytes.length; at++) {
    idBytes[at] = pool[poolUsed++] as number
  }
  idBytes[6] = ((idBytes[6] as number) & 0x0f) | 0x70
  idBytes[8] = ((idBytes[8] as number) & 0x3f) | 0x80
  for (let at = 0; at < idBytes.length; at++) {
    const byte = idBytes[at] as number
    const place = start + (places[at] as number)
    target[place] = digits[byte >> 4] as number
    target[place + 1] = digits[byte & 0x0f] as number
  }
  for (const place of hyphens) target[start + place] = hyphen
}

const namespaceBytes = 16
/**
 * Size in bytes of the reusable buffer for a namespace and a name. A longer name gets its own
 * buffer.
 */
const nameBufferBytes = 4096
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const bytesPerUnitMax = 3

const hexDigits = '0123456789abcdef'
/** The digit of a UUID's variant, by the digit that it replaces. */
const variants = '89ab'.repeat(4)

const nameBuffer = Buffer.alloc(nameBufferBytes)

/** Creates a UUID of RFC 9562 version 5 from the SHA-1 of the namespace's bytes and the name. */
export function uuidv5(namespace: string, name: string): string {
  writeNamespace(nameBuffer, namespace)
  return nameIn(nameBuffer, name)
}

/**
 * Creates a function that returns version 5 UUIDs of one namespace. The namespace is written to the
 * buffer only once.
 */
export function createUuidv5(namespace: string): (name: string) => string {
  const buffer = Buffer.alloc(nameBufferBytes)
  writeNamespace(buffer, namespace)
  return (name) => nameIn(buffer, name)
}

function writeNamespace(buffer: Buffer, namespace: string): void {
  buffer.write(namespace.replaceAll('-', ''), 0, 'hex')
}

/**
 * Returns the id of a name in the namespace at the start of the buffer. Requests the digest as hex,
 * because a buffer for it would cost more than the hash.
 */
function nameIn(buffer: Buffer, name: string): string {
  const size = namespaceBytes + name.length * bytesPerUnitMax
  const bytes = size <= buffer.length ? buffer : Buffer.alloc(size)
  if (bytes !== buffer) buffer.copy(bytes, 0, 0, namespaceBytes)
  const end = namespaceBytes + bytes.write(name, namespaceBytes, 'utf8')
  const hex = hash('sha1', bytes.subarray(0, end), 'hex')
  const variant = variants.charAt(hexDigits.indexOf(hex.charAt(16)))
  const [low, middle, high] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16)]
  return `${low}-${middle}-5${high}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Inserts the four hyphens into 32 hex digits. */
export function hyphenated(hex: string): string {
  const [a, b] = [hex.slice(0, 8), hex.slice(8, 12)]
  return `${a}-${b}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
