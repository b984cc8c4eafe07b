/** Splits Kafka's wire protocol into messages, and parses their headers and offset commits.
 *
 *     request   length (4) │ api key (2) │ api version (2) │ correlation id (4) │ …
 *     response  length (4) │ correlation id (4) │ …
 */

export const produceApiKey = 0
export const offsetCommitApiKey = 8

const lengthBytes = 4
/** Maximum frame length in bytes. A larger length means that the splitter has lost its position. */
const frameBytesMax = 128 * 1024 * 1024

type RequestHeader = { apiKey: number; apiVersion: number; correlationId: number }

/**
 * Creates a function that takes chunks of any size and returns complete frames with their length
 * prefix.
 */
export function createFrameSplitter(): (chunk: Buffer) => Buffer[] {
  let chunks: Buffer[] = []
  let size = 0
  let needed = lengthBytes

  return function split(chunk) {
    chunks.push(chunk)
    size += chunk.length
    const frames: Buffer[] = []
    while (size >= needed) {
      const bytes = Buffer.concat(chunks)
      const end = frameEnd(bytes)
      const isWhole = end <= bytes.length
      if (isWhole) frames.push(bytes.subarray(0, end))
      const rest = isWhole ? bytes.subarray(end) : bytes
      chunks = [rest]
      size = rest.length
      needed = isWhole ? lengthBytes : end
    }
    return frames
  }
}

function frameEnd(bytes: Buffer): number {
  const length = bytes.readInt32BE(0)
  if (length < 0 || length > frameBytesMax) throw new Error(`${length} is not a frame length`)
  return lengthBytes + length
}

export function readRequestHeader(frame: Buffer): RequestHeader {
  return {
    apiKey: frame.readInt16BE(4),
    apiVersion: frame.readInt16BE(6),
    correlationId: frame.readInt32BE(8)
  }
}

export interface OffsetCommit {
  readonly groupId: string
  readonly memberId: string
  readonly offsets: readonly {
    readonly topic: string
    readonly partition: number
    readonly offset: bigint
  }[]
}

/** Versions that kafkajs sends. They have no static members and no compact lengths. */
const commitVersions = { oldest: 2, withoutRetention: 5 }

/**
 * Parses an OffsetCommit request.
 * @throws if its version is not supported
 */
export function readOffsetCommit(frame: Buffer): OffsetCommit {
  const { apiVersion } = readRequestHeader(frame)
  if (apiVersion < commitVersions.oldest || apiVersion > commitVersions.withoutRetention) {
    throw new Error(`OffsetCommit version ${apiVersion} is not supported`)
  }
  const read = createFieldReader(frame, 12)
  // Skip the client id.
  read.text()
  const groupId = read.text()
  // Skip the group's generation.
  read.int32()
  const memberId = read.text()
  if (apiVersion < commitVersions.withoutRetention) read.int64()
  const offsets = read.list(() => {
    const topic = read.text()
    return read.list(() => {
      const [partition, offset] = [read.int32(), read.int64()]
      // Skip the offset's metadata.
      read.text()
      return { topic, partition, offset }
    })
  })
  return { groupId, memberId, offsets: offsets.flat() }
}

function createFieldReader(bytes: Buffer, start: number) {
  let at = start
  function moved(size: number): number {
    at += size
    return at - size
  }
  const int32 = (): number => bytes.readInt32BE(moved(4))
  return {
    int32,
    int64: (): bigint => bytes.readBigInt64BE(moved(8)),
    /** Reads a string; null becomes an empty string. */
    text: (): string => {
      const size = Math.max(0, bytes.readInt16BE(moved(2)))
      return bytes.toString('utf8', moved(size), at)
    },
    list: <T>(readItem: () => T): T[] => Array.from({ length: int32() }, readItem)
  }
}

export function readCorrelationId(answer: Buffer): number {
  return answer.readInt32BE(4)
}
