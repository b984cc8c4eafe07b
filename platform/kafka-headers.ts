/** Headers of a fetched record, read in one pass.
 *
 * kafkajs copies all headers for each one more. A quarter of a megabyte of tiny headers, which
 * anybody may write who may write at all, would keep a consumer busy for a quarter of an hour, and
 * the one that is started in its place as well.
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
export function headersOf(list: readonly Header[]): Headers {
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
