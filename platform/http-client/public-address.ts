/** Classifies IP addresses: detects public addresses, and addresses that a cloud metadata service
 * may have.
 */
import { BlockList, isIP } from 'node:net'

/** Special-purpose IPv4 networks (IANA), and one address that only appears to be public. */
const special4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Azure's host agent (WireServer), which serves VM configuration.
  ['168.63.129.16', 32]
]

/**
 * Metadata services, which serve the credentials of cloud machines. Tenant URLs must never point to
 * them, even if private addresses are allowed.
 */
const metadata4: readonly (readonly [network: string, prefix: number])[] = [
  ['169.254.0.0', 16],
  ['168.63.129.16', 32],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32]
]

/** Parts of the global unicast range 2000::/3 that are not public or embed an IPv4 address. */
const special6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20]
]

/** Prefixes of IPv6 addresses that end in an IPv4 address: IPv4-mapped and NAT64. */
const embedding = ['::ffff:', '64:ff9b::'] as const

const refused = listOf(special4, special6)
const metadata = listOf(metadata4, [
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128]
])
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
for (const prefix of embedding) global6.addSubnet(`${prefix}0.0.0.0`, 96, 'ipv6')

/**
 * Checks whether the address is public. Returns false for unallocated IPv6 space and for text that
 * is not an address.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !refused.check(address, 'ipv4')
  return family === 6 && global6.check(address, 'ipv6') && !refused.check(address, 'ipv6')
}

/**
 * Checks whether the address can belong to a metadata service. Returns true for all link-local
 * addresses.
 */
export function isMetadataAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return false
  // Removes the zone, for example `%eth0`.
  const bare = address.replace(/%.*$/, '')
  return metadata.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}

/** Creates a block list. Each IPv4 network is also listed in its IPv4-mapped and NAT64 forms. */
function listOf(networks4: typeof special4, networks6: typeof special6): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks4) {
    list.addSubnet(network, prefix, 'ipv4')
    for (const before of embedding) list.addSubnet(`${before}${network}`, 96 + prefix, 'ipv6')
  }
  for (const [network, prefix] of networks6) list.addSubnet(network, prefix, 'ipv6')
  return list
}
