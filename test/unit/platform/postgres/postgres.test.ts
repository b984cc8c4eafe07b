/** Which errors of the store may pass by themselves, and which condemn the row. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import {
  createPostgres,
  isTransientStoreError,
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
    ['23514', 'no partition takes the row'],
    ['0A000', 'cached plan of before a migration'],
    ['28P01', 'a password that was changed'],
    ['3D000', 'a database that is not there'],
    ['F0001', 'a broken lock file'],
    ['XX001', 'data corrupted'],
    ['XX002', 'index corrupted']
  ])('%s may pass: %s', (code) => {
    expect(isTransientStoreError(answered(code))).toBe(true)
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
  ])('%s will not: %s', (code) => {
    expect(isTransientStoreError(answered(code))).toBe(false)
  })
})

test('a check that has a name is a violation of the row', () => {
  const violation = Object.assign(answered('23514'), { constraint: 'users_role_check' })
  expect(isTransientStoreError(violation)).toBe(false)
})

describe('an error without an answer of the server', () => {
  test.each([
    ['a refused connection', fromSystem('ECONNREFUSED')],
    ['a reset connection', fromSystem('ECONNRESET')],
    ['a name that does not resolve', fromSystem('ENOTFOUND')],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['a pool that has none', new Error('timeout exceeded when trying to connect')],
    ['an answer without SQLSTATE', answered(undefined)],
    ['something thrown that is no error', 'away']
  ])('may pass: %s', (_, error) => {
    expect(isTransientStoreError(error)).toBe(true)
    expect(sqlStateOf(error)).toBeNull()
  })

  test.each([
    ['a mistake of ours', new TypeError('undefined is not a function')],
    ['a text too long for the runtime', new RangeError('Invalid string length')]
  ])('will not: %s', (_, error) => {
    expect(isTransientStoreError(error)).toBe(false)
  })
})

test('only the server speaks SQLSTATE: a code of the system is none', () => {
  expect(sqlStateOf(answered('23505'))).toBe('23505')
  expect(sqlStateOf(fromSystem('42P01'))).toBeNull()
  expect(sqlStateOf(null)).toBeNull()
})

/** AuthenticationOk and ReadyForQuery of the protocol: all that a client waits for to begin. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

test('a transaction whose connection breaks fails, and the process lives', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(welcome)
      socket.once('data', () => socket.destroy())
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = `postgres://nobody:nothing@127.0.0.1:${port}/none`
  const limits = { connectionsMax: 1, statementTimeoutMs: 1000 }
  const postgres = createPostgres({ url, applicationName: 'test', ...limits })
  // An error that nobody hears would fail this test by itself.
  await expect(postgres.transaction(() => Promise.resolve())).rejects.toThrow('terminated')
  await postgres.close()
  await once(server.close(), 'close')
})
