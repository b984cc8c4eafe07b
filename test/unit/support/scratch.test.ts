/** Scratch. */
import { createServer } from 'node:net'
import { test } from '@jest/globals'
import '../../support/cleanup.ts'
test('leaks a server', async () => {
  const server = createServer().listen(0)
  await new Promise((r) => server.on('listening', r))
})
