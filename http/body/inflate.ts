/** The compressions a body may come in, and what an open inflater of each costs. */
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'

/** Counts the compressed bytes it has used. */
export type Inflater = Transform & { readonly bytesWritten: number }

/** Of what comes out at once: each piece costs a way to another thread and back. */
const pieceBytes = 128 * 1024
/** From so many compressed bytes on; of fewer, most of such a piece would stay empty. */
const manyBytes = 8 * 1024
/** What an inflater holds before anything comes out: a piece, and 30 to 75 KiB as measured. */
export const inflaterBytes = 2 * pieceBytes

/** RFC 9659: a zstd body needs no window above 8 MiB, and who asks for one asks for memory. */
const zstdWindowLogMax = 23

const inflaters: Readonly<Record<string, (options: { chunkSize?: number }) => Inflater>> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: (options) =>
    createZstdDecompress({
      ...options,
      params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax }
    })
}

export const encodings: readonly string[] = Object.keys(inflaters)

/** What opens an inflater for so many bytes; null for an encoding that is not taken. */
export function inflaterOf(encoding: string): ((rawBytes: number) => Inflater) | null {
  const open = Object.hasOwn(inflaters, encoding) ? inflaters[encoding] : undefined
  if (open === undefined) return null
  return (rawBytes) => open(rawBytes > manyBytes ? { chunkSize: pieceBytes } : {})
}
