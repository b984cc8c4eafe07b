/** JSON pointers (RFC 6901): how an error says which member it means. */

/** Pointer to a member of the top-level object. */
export function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
