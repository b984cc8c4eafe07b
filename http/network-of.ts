/** Maps an IP address to its network for limits. All spellings of an address yield the same text.
 */
import { isIPv6, SocketAddress } from 'node:net'

/**
 * Returns the network for limits per client: the first four groups of an IPv6 address, because one
 * client can own all 2^64 addresses that share them.
 */
export function networkOf(address: string): string {
  return groupsOf(address, 4)
}

/**
 * Returns the network for limits that a caller with many IPv6 networks must not evade: the first
 * three groups of an IPv6 address, because anyone can rent the 2^16 networks that share them.
 */
export function siteOf(address: string): string {
  return groupsOf(address, 3)
}

/**
 * Returns the first groups of an IPv6 address, or a whole IPv4 address. Removes the prefix of an
 * IPv4-mapped address.
 */
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
