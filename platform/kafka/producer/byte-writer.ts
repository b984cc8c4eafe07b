/** Writes numbers, bytes and texts one behind the other, the way Kafka's protocol has them. */

/** Into a buffer that is large enough for all of it: whoever makes it has added up the sizes. */
export class ByteWriter {
  readonly bytes: Buffer
  /** Where the next byte goes. */
  at = 0

  constructor(size: number) {
    // Not from the pool, of which a small request would keep a whole slab for as long as it waits.
    this.bytes = Buffer.allocUnsafeSlow(size)
  }

  int8(value: number): void {
    this.at = this.bytes.writeInt8(value, this.at)
  }

  int16(value: number): void {
    this.at = this.bytes.writeInt16BE(value, this.at)
  }

  int32(value: number): void {
    this.at = this.bytes.writeInt32BE(value, this.at)
  }

  /** An integer that a number holds exactly. */
  int64(value: number): void {
    this.int32(Math.floor(value / 2 ** 32))
    this.at = this.bytes.writeUInt32BE(value >>> 0, this.at)
  }

  /** Seven bits a byte, the lowest first. */
  unsignedVarint(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      this.bytes[this.at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.bytes[this.at++] = rest
  }

  /** Small negative numbers are short, too. */
  varint(value: number): void {
    this.unsignedVarint(zigzag(value))
  }

  raw(value: string | Buffer): void {
    if (typeof value === 'string') this.at += this.bytes.write(value, this.at, 'utf8')
    else this.at += value.copy(this.bytes, this.at)
  }

  /** Behind their length as a varint. */
  prefixed(value: string | Buffer): void {
    this.varint(Buffer.byteLength(value))
    this.raw(value)
  }
}

/** How many bytes a varint takes. */
export function varintSize(value: number): number {
  return unsignedVarintSize(zigzag(value))
}

function unsignedVarintSize(value: number): number {
  let size = 1
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size += 1
  return size
}

/** How many `length` bytes take with their length before them. */
export function bytesSize(length: number): number {
  return varintSize(length) + length
}

function zigzag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0
}
