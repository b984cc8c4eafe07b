/** Patches kafkajs to read the headers of a fetched record in linear time.
 *
 * kafkajs 2.2.4 copies all earlier headers for each header. A single record with 256 KB of tiny
 * headers could block a consumer for a quarter of an hour, and then the consumer that takes over.
 * There is no upstream issue (tulios/kafkajs#1793 concerns the same decoder). A test fails once
 * kafkajs stops copying.
 */
import { createRequire } from 'node:module'

interface Header {
  readonly key: string
  readonly value: Buffer
}

type Headers = Record<string, Buffer | Buffer[]>
type ReadHeader = (decoder: object) => Header
interface Decoder {
  readVarIntArray(this: Decoder, read: ReadHeader): Header[]
}

/** Converts headers to the format of kafkajs. The values of a repeated name become a list. */
function headersOf(list: readonly Header[]): Headers {
  const values = new Map<string, Buffer | Buffer[]>()
  for (const { key, value } of list) {
    const known = values.get(key)
    if (known === undefined) values.set(key, value)
    else if (Array.isArray(known)) known.push(value)
    else values.set(key, [known, value])
  }
  return Object.fromEntries(values)
}

/**
 * Replaces the `reduce` method of the lists that the decoder returns. kafkajs reads such lists only
 * for headers and merges them with `reduce`.
 */
function readQuickly(decoder: { readonly prototype: Decoder }): void {
  const { prototype } = decoder
  // Unbound, because it is called with the decoder as `this`.
  const readVarIntArray = prototype.readVarIntArray
  prototype.readVarIntArray = function readHeaders(read) {
    const list = readVarIntArray.call(this, read)
    return Object.assign(list, { reduce: () => headersOf(list) })
  }
}

const load = createRequire(import.meta.url)
readQuickly(load('kafkajs/src/protocol/decoder') as { readonly prototype: Decoder })
