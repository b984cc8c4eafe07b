/** Limits a page by the size of its entries. */

/** The first entries that have so many bytes together; one at least, so that every page goes on. */
export function upToBytes<T extends { readonly bytes: number }>(
  entries: readonly T[],
  bytesMax: number
): readonly T[] {
  let bytes = 0
  const end = entries.findIndex((entry, index) => {
    bytes += entry.bytes
    return index > 0 && bytes > bytesMax
  })
  return end === -1 ? entries : entries.slice(0, end)
}
