/** Which addresses the internet routes, and which ones a tenant's URL must never lead us to. */
import { BlockList, isIP } from 'node:net'

/** Special-purpose IPv4 networks (IANA), and one that only looks public. */
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
  // Azure's host agent, which hands out machine configuration.
  ['168.63.129.16', 32]
]

/** What cloud machines ask for their credentials: nobody's judge lives there, private or not. */
const metadata4: readonly (readonly [network: string, prefix: number])[] = [
  ['169.254.0.0', 16],
  ['168.63.129.16', 32],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32]
]

/** Of the global unicast space 2000::/3, what is not for the internet or hides an IPv4 address. */
const special6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20]
]

/** Prefixes whose last 32 bits are an IPv4 address: mapped, and NAT64. */
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

/** False for whatever is no address, and for IPv6 space that nobody has given out yet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !refused.check(address, 'ipv4')
  return family === 6 && global6.check(address, 'ipv6') && !refused.check(address, 'ipv6')
}

/** Whether the address hands out a machine's credentials; link-local ones all count. */
export function isMetadataAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return false
  // A zone such as %eth0 is no part of the address.
  const bare = address.replace(/%.*$/, '')
  return metadata.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}

/** An IPv4 network is refused in whatever notation it comes. */
function listOf(networks4: typeof special4, networks6: typeof special6): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks4) {
    list.addSubnet(network, prefix, 'ipv4')
    for (const before of embedding) list.addSubnet(`${before}${network}`, 96 + prefix, 'ipv6')
  }
  for (const [network, prefix] of networks6) list.addSubnet(network, prefix, 'ipv6')
  return list
}
