/** Scratch. */
import { createServer } from 'node:net'
import { test } from '@jest/globals'
import { countOpen, onEnd } from '../../support/cleanup.ts'
test('leaks a server', async () => {
  onEnd(() => Promise.reject(new Error('one')))
  const server = createServer().listen(0)
  await new Promise((r) => server.on('listening', r))
  process.stdout.write(String(countOpen()) + '\n')
})
