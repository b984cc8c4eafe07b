/** Tests that a read is sent together with its transaction and settings, and fails if a setting
 * fails.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createPostgres } from '../../../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../../../platform/postgres/postgres.ts'

/** Builds a server message with this type and content. */
function message(kind: string, content: Buffer | string = ''): Buffer {
  const body = Buffer.from(content)
  const head = Buffer.alloc(5)
  head.write(kind)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const ready = (status: string): Buffer => message('Z', status)
const authenticated = message('R', Buffer.alloc(4))
const completed = (tag: string): Buffer => message('C', `${tag}\0`)
const parsed = Buffer.concat([message('1'), message('2'), message('n')])
const row = Buffer.concat([
  message(
    'T',
    Buffer.from('\0\x01secret\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0', 'latin1')
  ),
  message('D', '\0\x01\0\0\0\x01x')
])
const refused = message('E', 'SERROR\0VERROR\0C42501\0Mpermission denied to set role\0\0')

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0)) await end()
})

/** Creates a server that responds only after it has received all messages of a read. */
async function createServed(answers: readonly Buffer[]) {
  const asked: string[] = []
  const server = createServer((socket) => {
    let unanswered = ''
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.concat([authenticated, ready('I')]))
      socket.on('data', (bytes) => {
        unanswered += bytes.toString('latin1')
        if (!unanswered.includes('commit\0')) return
        asked.push(unanswered)
        unanswered = ''
        socket.write(Buffer.concat(answers))
      })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = `postgres://user:password@127.0.0.1:${port}/none`
  const limits = { connectionsMax: 1, statementTimeoutMs: 2000 }
  const postgres: PostgresPool = createPostgres({ url, applicationName: 'test', ...limits })
  endings.push(
    () => postgres.close(),
    () => once(server.close(), 'close')
  )
  const read = () =>
    postgres.reading({ role: 'reader', 'a.name': "'; reset role" }).query('select secret', [])
  return { read, asked }
}

test('sends transaction, settings and end before any response', async () => {
  const { read, asked } = await createServed([
    ...[completed('BEGIN'), ready('T'), parsed, completed('SELECT 1'), ready('T')],
    ...[row, completed('SELECT 1'), ready('T'), completed('COMMIT'), ready('I')]
  ])
  expect(await read()).toEqual([{ secret: 'x' }])
  const [all = ''] = asked
  const parts = ['begin read only', 'set_config($1, $2, true), set_config($3, $4, true)']
  const places = [...parts, "'; reset role", 'select secret', 'commit'].map((part) =>
    all.indexOf(part)
  )
  expect(places).toEqual(places.toSorted((left, right) => left - right))
  expect(places[0]).toBeGreaterThanOrEqual(0)
})

test('discards all rows if a setting fails, whatever the server returns', async () => {
  const { read, asked } = await createServed([
    ...[completed('BEGIN'), ready('T'), refused, ready('E')],
    ...[row, completed('SELECT 1'), ready('T'), completed('COMMIT'), ready('I')]
  ])
  await expect(read()).rejects.toThrow('permission denied to set role')
  expect(asked).toHaveLength(1)
})
