/** Pieces of a body, compressed on their way, for callers that accept it. */
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

type Pieces = AsyncIterable<string | Uint8Array>

/** What fails in the pieces fails here; when nobody takes more, the pieces end as well. */
export async function* gzipPieces(pieces: Pieces): AsyncGenerator<Uint8Array> {
  const gzip = createGzip()
  // Its outcome is what the reader of `gzip` sees.
  pipeline(Readable.from(pieces), gzip, () => {})
  for await (const piece of gzip) yield piece as Buffer
}

/** By RFC 9110: named with a weight above zero, or covered by `*`. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const weights = new Map(
    String(header ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => {
        const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
        const weight = parameters.find((text) => text.startsWith('q='))?.slice('q='.length)
        return [name, Number(weight ?? 1)]
      })
  )
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}
