/** Byte writer: writes integers of the Kafka protocol, strings and bytes. */

/** Writes to a buffer of fixed size. Callers compute the total size first. */
export class ByteWriter {
  readonly bytes: Buffer
  /** Position of the next byte. */
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
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

  /** Writes a 64-bit integer. The value must be a safe integer. */
  int64(value: number): void {
    this.int32(Math.floor(value / 2 ** 32))
    this.at = this.bytes.writeUInt32BE(value >>> 0, this.at)
  }

  /** Writes seven bits per byte, least significant first. */
  unsignedVarint(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      this.bytes[this.at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.bytes[this.at++] = rest
  }

  /** Writes a zigzag-encoded varint, which keeps small negative numbers short. */
  varint(value: number): void {
    this.unsignedVarint(zigzag(value))
  }

  raw(value: string | Buffer): void {
    if (typeof value === 'string') this.at += this.bytes.write(value, this.at, 'utf8')
    else this.at += value.copy(this.bytes, this.at)
  }

  copy(source: Buffer, start: number, end: number): void {
    this.at += source.copy(this.bytes, this.at, start, end)
  }

  /** Writes the value, preceded by its length as a varint. */
  prefixed(value: string | Buffer): void {
    this.varint(Buffer.byteLength(value))
    this.raw(value)
  }
}

/** Returns the size of a zigzag-encoded varint in bytes. */
export function varintSize(value: number): number {
  return unsignedVarintSize(zigzag(value))
}

function unsignedVarintSize(value: number): number {
  let size = 1
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size += 1
  return size
}

/** Returns the size in bytes of a value of `length` bytes with its length prefix. */
export function bytesSize(length: number): number {
  return varintSize(length) + length
}

function zigzag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0
}
