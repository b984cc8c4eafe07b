/** Tests which Postgres errors are transient, and which are caused by the row. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import {
  createPostgres,
  isTransientPostgresError,
  sqlStateOf
} from '../../../../platform/postgres/postgres.ts'

function answered(code: string | undefined): Error {
  return Object.assign(new pg.DatabaseError('the server says no', 0, 'error'), { code })
}

function fromSystem(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code })
}

describe('an error of the server', () => {
  test.each([
    ['08006', 'connection failure'],
    ['08P01', 'protocol violation'],
    ['25006', 'read-only transaction, as on a standby'],
    ['25P03', 'idle in transaction timeout'],
    ['40001', 'serialization failure'],
    ['40P01', 'deadlock detected'],
    ['53100', 'disk full'],
    ['53200', 'out of memory'],
    ['53300', 'too many connections'],
    ['55P03', 'lock not available'],
    ['57014', 'query canceled, as by the statement timeout'],
    ['57P01', 'admin shutdown'],
    ['57P03', 'cannot connect now'],
    ['58030', 'input/output error'],
    ['42P01', 'undefined table, before a migration'],
    ['42703', 'undefined column, before a migration'],
    ['42501', 'insufficient privilege'],
    ['23514', 'no partition accepts the row'],
    ['0A000', 'cached plan from before a migration'],
    ['28P01', 'a changed password'],
    ['3D000', 'a missing database'],
    ['F0001', 'a broken lock file'],
    ['XX001', 'data corrupted'],
    ['XX002', 'index corrupted']
  ])('%s is transient: %s', (code) => {
    expect(isTransientPostgresError(answered(code))).toBe(true)
  })

  test.each([
    ['22001', 'string too long'],
    ['22003', 'number out of range'],
    ['22021', 'character not in repertoire, as NUL'],
    ['22P02', 'invalid text representation'],
    ['22P05', 'untranslatable character'],
    ['23502', 'not null violation'],
    ['23505', 'unique violation'],
    ['23503', 'foreign key violation'],
    ['23P01', 'exclusion violation'],
    ['21000', 'cardinality violation'],
    ['44000', 'with check option violation'],
    ['54000', 'index row too large'],
    ['54001', 'statement too complex'],
    ['P0001', 'an exception raised by a trigger']
  ])('%s is not transient: %s', (code) => {
    expect(isTransientPostgresError(answered(code))).toBe(false)
  })
})

test('a violated check with a name is caused by the row', () => {
  const violation = Object.assign(answered('23514'), { constraint: 'users_role_check' })
  expect(isTransientPostgresError(violation)).toBe(false)
})

describe('an error without a response of the server', () => {
  test.each([
    ['a refused connection', fromSystem('ECONNREFUSED')],
    ['a reset connection', fromSystem('ECONNRESET')],
    ['a name that does not resolve', fromSystem('ENOTFOUND')],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    ['a response without SQLSTATE', answered(undefined)],
    ['a thrown value that is not an error', 'away']
  ])('is transient: %s', (_, error) => {
    expect(isTransientPostgresError(error)).toBe(true)
    expect(sqlStateOf(error)).toBeNull()
  })

  test.each([
    ['a bug in Sluice', new TypeError('undefined is not a function')],
    ['a text too long for the runtime', new RangeError('Invalid string length')]
  ])('is not transient: %s', (_, error) => {
    expect(isTransientPostgresError(error)).toBe(false)
  })
})

test('a code of the operating system is not an SQLSTATE', () => {
  expect(sqlStateOf(answered('23505'))).toBe('23505')
  expect(sqlStateOf(fromSystem('42P01'))).toBeNull()
  expect(sqlStateOf(null)).toBeNull()
})

/** AuthenticationOk and ReadyForQuery: the messages after which a client can send queries. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

test('a transaction on a broken connection fails, and the process survives', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(welcome)
      socket.once('data', () => socket.destroy())
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = `postgres://user:password@127.0.0.1:${port}/none`
  const limits = { connectionsMax: 1, statementTimeoutMs: 1000 }
  const postgres = createPostgres({ url, applicationName: 'test', ...limits })
  // An unhandled error would fail this test.
  await expect(postgres.transaction(() => Promise.resolve())).rejects.toThrow('terminated')
  await postgres.close()
  await once(server.close(), 'close')
})
