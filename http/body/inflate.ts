/** The compressions a body may come in, and what an open inflater of each costs. */
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'

/** Counts the compressed bytes it has used. */
export type Inflater = Transform & { readonly bytesWritten: number }

/**
 * What an inflater holds before anything comes out of it: measured at 30 to 75 KiB, whichever it
 * is.
 */
export const inflaterBytes = 128 * 1024

/** RFC 9659: a zstd body needs no window above 8 MiB, and who asks for one asks for memory. */
const zstdWindowLogMax = 23

const inflaters: Readonly<Record<string, () => Inflater>> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: () =>
    createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } })
}

export const encodings: readonly string[] = Object.keys(inflaters)

/** Null for an encoding that is not taken. */
export function createInflater(encoding: string): Inflater | null {
  return Object.hasOwn(inflaters, encoding) ? (inflaters[encoding]?.() ?? null) : null
}
