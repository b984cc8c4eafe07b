/** Which Docker counts as this machine's. */
import { expect, test } from '@jest/globals'
import { isThisMachine } from '../../../../stack/docker/docker-runtime.ts'

test.each(['localhost', '127.0.0.1'])('an address of ours is here: %s', async (host) => {
  expect(await isThisMachine(host)).toBe(true)
})

// 192.0.2.0/24 is kept for documentation (RFC 5737), .invalid for names of nothing (RFC 2606).
test.each(['192.0.2.1', 'docker.invalid'])('anybody else is not: %s', async (host) => {
  expect(await isThisMachine(host)).toBe(false)
})
