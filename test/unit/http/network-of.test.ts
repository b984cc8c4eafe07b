/** Tests which network an IP address belongs to. */
import { expect, test } from '@jest/globals'
import { networkOf, siteOf } from '../../../http/network-of.ts'

test.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2', '2001:db8:1'],
  ['2001:DB8:1:2::6', '2001:db8:1:2', '2001:db8:1'],
  ['2001:db8::1', '2001:db8:0:0', '2001:db8:0'],
  ['2001:0DB8::1', '2001:db8:0:0', '2001:db8:0'],
  ['2001:db8:0000:0002::', '2001:db8:0:2', '2001:db8:0'],
  ['2001:db8:0:0:1::', '2001:db8:0:0', '2001:db8:0'],
  ['::ffff:7f00:1', '127.0.0.1', '127.0.0.1'],
  ['0:0:0:0:0:FFFF:7f00:0001', '127.0.0.1', '127.0.0.1'],
  ['::ffff:0:7f00:1', '0:0:0:0', '0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0'],
  ['::1', '0:0:0:0', '0:0:0'],
  ['', '', '']
])('maps %s to network %s of site %s', (address, network, site) => {
  expect([networkOf(address), siteOf(address)]).toEqual([network, site])
})
