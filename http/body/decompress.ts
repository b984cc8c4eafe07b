/** Creates decompressors for request bodies, with a limit on the memory that each takes. */
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'

/** `bytesWritten` is the number of compressed bytes that have been consumed. */
export type Decompressor = Transform & { readonly bytesWritten: number }

/**
 * Size of an output chunk in bytes. It is large, because each chunk costs a round trip to a zlib
 * thread.
 */
const chunkBytes = 128 * 1024
/**
 * Number of compressed bytes above which large chunks are used. For shorter bodies, most of a large
 * chunk would stay empty.
 */
const manyBytes = 8 * 1024
/**
 * Memory in bytes to reserve for a decompressor before its first output: one chunk for the output,
 * and as much again for the decompressor itself, which was measured to take 30 to 75 KiB.
 */
export const decompressorBytes = 2 * chunkBytes

/** Maximum zstd window, 8 MiB. RFC 9659 allows no larger window over HTTP. */
const zstdWindowLogMax = 23

const decompressors: Readonly<Record<string, (options: { chunkSize?: number }) => Decompressor>> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: (options) =>
    createZstdDecompress({
      ...options,
      params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax }
    })
}

export const encodings: readonly string[] = Object.keys(decompressors)

/**
 * @returns a function that creates a decompressor for a number of compressed bytes, or null for an
 * unknown encoding
 */
export function decompressorOf(encoding: string): ((rawBytes: number) => Decompressor) | null {
  const open = Object.hasOwn(decompressors, encoding) ? decompressors[encoding] : undefined
  if (open === undefined) return null
  return (rawBytes) => open(rawBytes > manyBytes ? { chunkSize: chunkBytes } : {})
}
