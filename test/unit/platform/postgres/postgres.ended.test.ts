/** Tests that a connection that the server ends does not end the process. */
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { createPostgres } from '../../../../platform/postgres/postgres.ts'

/** Encodes a message of the Postgres protocol. */
function messageOf(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

test('survives a server that ends a connection as soon as it is ready', async () => {
  const authenticated = messageOf('R', Buffer.alloc(4))
  const ready = messageOf('Z', Buffer.from('I'))
  const ended = messageOf('E', Buffer.from('SFATAL\0C57P01\0Mterminated\0\0'))
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, ended])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const postgres = createPostgres({
    url: `postgres://user:password@127.0.0.1:${port}/database`,
    applicationName: 'test',
    connectionsMax: 1,
    statementTimeoutMs: 1000
  })
  const work = postgres.transaction((transaction) => transaction.query('select 1'))
  await expect(work).rejects.toThrow()
  await postgres.close()
  await new Promise((resolve) => server.close(resolve))
})
