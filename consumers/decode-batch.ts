/** Decodes a batch, as far as it is no flood. */
import type { Decode, Decoded } from '../platform/registry/decode.ts'
import type { Asked } from '../platform/registry/writers.ts'
import type { Flood } from './flood.ts'
import type { DecodeBatch } from './run-consumer.ts'

/** So many are decoded between two looks at the flood, which ends the look-ups of a bad batch. */
const sliceMessages = 100

export function createDecodeBatch<T>(
  decode: Decode<T>,
  flood: Pick<Flood, 'check'>
): DecodeBatch<T> {
  return async function decodeBatch(messages) {
    const asked: Asked<T> = new Map()
    const decoded: Decoded<T>[] = []
    for (let start = 0; start < messages.length; start += sliceMessages) {
      const slice = messages.slice(start, start + sliceMessages)
      decoded.push(...(await Promise.all(slice.map((message) => decode(message, asked)))))
      flood.check(messages, decoded)
    }
    return decoded
  }
}
