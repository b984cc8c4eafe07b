/** Tests which Docker hosts count as this machine. */
import { expect, test } from '@jest/globals'
import { isThisMachine } from '../../../../stack/docker/docker-runtime.ts'

test.each(['localhost', '127.0.0.1'])('accepts the local address %s', async (host) => {
  expect(await isThisMachine(host)).toBe(true)
})

// RFC 5737 reserves 192.0.2.0/24 for documentation, and RFC 2606 reserves .invalid for invalid
// names.
test.each(['192.0.2.1', 'docker.invalid'])('rejects the foreign host %s', async (host) => {
  expect(await isThisMachine(host)).toBe(false)
})
