/** The network of an address, as limits count it: the same text for every spelling of it. */
import { isIPv6, SocketAddress } from 'node:net'

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

/** An IPv4 address is returned whole, even if it is written as an IPv6 address. */
function groupsOf(address: string, groups: number): string {
  const [bare = ''] = address.split('%')
  if (!isIPv6(bare)) return address
  const { address: text } = new SocketAddress({ address: bare, family: 'ipv6' })
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1]
  if (mapped !== undefined) return mapped
  const [before = '', after = ''] = text.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === '' ? [] : after.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, groups).join(':')
}
