/** Kafka on the wire: where one message ends, and which answer belongs to which request.
 *
 *     request   length (4) │ api key (2) │ api version (2) │ correlation id (4) │ …
 *     answer    length (4) │ correlation id (4) │ …
 */

export const produceApiKey = 0
export const offsetCommitApiKey = 8

const lengthBytes = 4
/** Larger than any message the broker takes: such a length means that we lost our place. */
const frameBytesMax = 128 * 1024 * 1024

export type RequestHeader = { apiKey: number; apiVersion: number; correlationId: number }

/** Takes chunks as the network cuts them, gives back whole frames with their length in front. */
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
  if (length < 0 || length > frameBytesMax) throw new Error(`${length} is no length of a frame`)
  return lengthBytes + length
}

export function readRequestHeader(frame: Buffer): RequestHeader {
  return {
    apiKey: frame.readInt16BE(4),
    apiVersion: frame.readInt16BE(6),
    correlationId: frame.readInt32BE(8)
  }
}

export function readCorrelationId(answer: Buffer): number {
  return answer.readInt32BE(4)
}
