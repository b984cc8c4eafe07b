/** Identifiers: UUIDv7 for what is new, UUIDv5 for what must come out the same again. */
import { hash, randomFillSync } from 'node:crypto'

/** Plain 8-4-4-4-12 hex in either case; braces, URNs and other spellings are refused. */
export const uuidPattern =
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'
const uuidExpression = new RegExp(uuidPattern)

const randomPoolBytes = 4096
const randomPerIdBytes = 10
const timestampBytes = 6
/** The id that is being made, as bytes and as text. */
const idBytes = Buffer.alloc(16)
const idText = Buffer.alloc(36, '-')
const digits = Buffer.from('0123456789abcdef', 'latin1')
/** Where the two digits of each byte stand between the hyphens. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const pool = Buffer.alloc(randomPoolBytes)
let poolUsed = randomPoolBytes

export function isUuid(text: string): boolean {
  return uuidExpression.test(text)
}

/**
 * RFC 9562 version 7: 48 bits of milliseconds, then 74 random bits.
 * Randomness is drawn in blocks, because a system call per decision is a measurable share of its
 * cost.
 */
export function uuidv7(timestampMs: number): string {
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
  return textOf(idBytes)
}

/** Written in place and read as one text: one that is joined of pieces is joined again later. */
function textOf(bytes: Buffer): string {
  for (let at = 0; at < bytes.length; at++) {
    const [byte, place] = [bytes[at] as number, places[at] as number]
    idText[place] = digits[byte >> 4] as number
    idText[place + 1] = digits[byte & 0x0f] as number
  }
  return idText.toString('latin1')
}

const namespaceBytes = 16
/** Room for a namespace and the usual name; a longer one gets a buffer of its own. */
const nameBufferBytes = 4096
/** A UTF-16 unit has at most so many bytes in UTF-8. */
const bytesPerUnitMax = 3

const nameBuffer = Buffer.alloc(nameBufferBytes)

/** RFC 9562 version 5: the first 16 bytes of SHA-1 over the namespace's bytes and the name. */
export function uuidv5(namespace: string, name: string): string {
  writeNamespace(nameBuffer, namespace)
  return nameIn(nameBuffer, name)
}

/** Ids of one namespace; its bytes are written once. */
export function createUuidv5(namespace: string): (name: string) => string {
  const buffer = Buffer.alloc(nameBufferBytes)
  writeNamespace(buffer, namespace)
  return (name) => nameIn(buffer, name)
}

function writeNamespace(buffer: Buffer, namespace: string): void {
  buffer.write(namespace.replaceAll('-', ''), 0, 'hex')
}

/** The digest is asked for as hex: a buffer of it would cost more than the hash. */
function nameIn(buffer: Buffer, name: string): string {
  const size = namespaceBytes + name.length * bytesPerUnitMax
  const bytes = size <= buffer.length ? buffer : Buffer.alloc(size)
  if (bytes !== buffer) buffer.copy(bytes, 0, 0, namespaceBytes)
  const end = namespaceBytes + bytes.write(name, namespaceBytes, 'utf8')
  const hex = hash('sha1', bytes.subarray(0, end), 'hex')
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
  return hyphenated(`${hex.slice(0, 12)}5${hex.slice(13, 16)}${variant}${hex.slice(17, 32)}`)
}

/** 32 hex digits with the four hyphens. */
export function hyphenated(hex: string): string {
  const [a, b] = [hex.slice(0, 8), hex.slice(8, 12)]
  return `${a}-${b}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
