/** Makes kafkajs read the headers of a fetched record in one pass.
 *
 * kafkajs 2.2.4 copies all earlier headers for each header. One record with 256 KB of tiny headers
 * could block a consumer for a quarter of an hour, and then the consumer that takes over. No
 * upstream issue describes it (tulios/kafkajs#1793 is about the same decoder); a test fails once
 * the library no longer copies.
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

/** What kafkajs itself makes of headers; of a name that comes twice, a list. */
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

/** The client has one use for such lists, and joins them by `reduce`. */
function readQuickly(decoder: { readonly prototype: Decoder }): void {
  const { prototype } = decoder
  // Called below on the decoder it belongs to.
  const readVarIntArray = prototype.readVarIntArray
  prototype.readVarIntArray = function readHeaders(read) {
    const list = readVarIntArray.call(this, read)
    return Object.assign(list, { reduce: () => headersOf(list) })
  }
}

const load = createRequire(import.meta.url)
readQuickly(load('kafkajs/src/protocol/decoder') as { readonly prototype: Decoder })
