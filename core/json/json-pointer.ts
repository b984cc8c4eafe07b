/** Creates JSON pointers (RFC 6901), which errors use to name members. */

/** Returns the pointer to a member of the top-level object. */
export function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
