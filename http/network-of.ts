/** The network of an address, as limits count it. */

/**
 * For limits of what one client may try. Who has one IPv6 address has 2^64 of them, so the first
 * four groups count.
 */
export function networkOf(address: string): string {
  return groupsOf(address, 4)
}

/**
 * For shares of this process. Anybody can rent 2^16 IPv6 networks, which begin with the same three
 * groups.
 */
export function siteOf(address: string): string {
  return groupsOf(address, 3)
}

/** An IPv4 address whole. */
function groupsOf(address: string, groups: number): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [before = '', after] = (address.split('%')[0] ?? '').toLowerCase().split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, groups).join(':')
}
