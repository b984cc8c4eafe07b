/** Tests which addresses are public, including special IPv4 and IPv6 addresses in every notation.
 */
import { describe, expect, test } from '@jest/globals'
import {
  isMetadataAddress,
  isPublicAddress
} from '../../../../platform/http-client/public-address.ts'

describe('public addresses', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808'
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(true))
})

describe('addresses that no URL of a tenant may point to', () => {
  test.each([
    ['this network', '0.0.0.0'],
    ['private', '10.255.255.255'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.0.1'],
    ['shared by a carrier', '100.64.0.1'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local', '169.254.169.254'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '203.0.113.7'],
    ['benchmarks', '198.19.0.1'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['the host agent of Azure', '168.63.129.16'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['mapped', '::ffff:127.0.0.1'],
    ['mapped in hex', '::ffff:7f00:1'],
    ['mapped private', '::ffff:a00:1'],
    ['IPv4 compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64 to metadata', '64:ff9b::a9fe:a9fe'],
    ['NAT64 of one network', '64:ff9b:1::808:808'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:4136:e378::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['unique local', 'fd00::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['unallocated', '4000::1'],
    ['not an address', 'localhost'],
    ['nothing', '']
  ])('%s: %s', (_, address) => expect(isPublicAddress(address)).toBe(false))
})

test.each([
  ['169.254.169.254', true],
  ['::ffff:169.254.169.254', true],
  ['64:ff9b::a9fe:a9fe', true],
  ['100.100.100.200', true],
  ['fe80::1%eth0', true],
  ['fd00:ec2::254', true],
  ['fd20:ce::254', true],
  ['fd00:ec2::255', false],
  ['127.0.0.1', false],
  ['10.0.0.1', false],
  ['metadata', false]
])('metadata address: %s, %s', (address, expected) => {
  expect(isMetadataAddress(address)).toBe(expected)
})
