/** Which Docker counts as this machine's. */
import type { NetworkInterfaceInfo } from 'node:os'
import { expect, test } from '@jest/globals'
import { isThisMachine } from '../../../../stack/docker/docker-runtime.ts'

function interfaceAt(address: string): NetworkInterfaceInfo {
  return {
    address,
    family: 'IPv4',
    internal: false,
    netmask: '255.255.0.0',
    mac: '02:42:00:00:00:01',
    cidr: `${address}/16`
  }
}

test.each([
  ['on the loopback address', 'localhost', '10.0.0.5', true],
  [
    'behind a bridge of ours, as in a container with its own Docker',
    '172.17.0.1',
    '172.17.0.1',
    true
  ],
  [
    'behind the bridge that we hang on, as with a borrowed socket',
    '172.17.0.1',
    '172.17.0.2',
    false
  ],
  ['on another machine', 'build-server', '10.0.0.5', false]
])('Docker %s', (_where, host, own, expected) => {
  expect(isThisMachine(host, { eth0: [interfaceAt(own)] })).toBe(expected)
})
