/** The compressions a body may come in, and what an open inflater of each costs. */
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'

/** Counts the compressed bytes it has used. */
export type Inflater = Transform & { readonly bytesWritten: number }

/** Bytes of output at once. Each chunk costs a round trip to a thread of zlib. */
const chunkBytes = 128 * 1024
/** Above so many compressed bytes; for fewer, most of such a chunk would stay empty. */
const manyBytes = 8 * 1024
/** Memory of an inflater before its first output: a chunk, and 30 to 75 KiB as measured. */
export const inflaterBytes = 2 * chunkBytes

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

/** @returns what opens an inflater for so many compressed bytes; null for an unknown encoding */
export function inflaterOf(encoding: string): ((rawBytes: number) => Inflater) | null {
  const open = Object.hasOwn(inflaters, encoding) ? inflaters[encoding] : undefined
  if (open === undefined) return null
  return (rawBytes) => open(rawBytes > manyBytes ? { chunkSize: chunkBytes } : {})
}
