/** Tests that each sslmode has its documented meaning, independent of the driver's release. */
import { describe, expect, test } from '@jest/globals'
import { postgresAddressOf, sslModeOf } from '../../../../platform/postgres/postgres-tls.ts'

const base = 'postgres://user:p%40ss@host:5432/sluice'
const ca = 'PEM'

describe('postgresAddressOf', () => {
  test.each([
    ['', false],
    ['?sslmode=disable', false],
    ['?sslmode=no-verify', { rejectUnauthorized: false }],
    ['?sslmode=require', { ca }],
    ['?sslmode=verify-full', { ca }],
    ['?sslmode=verify-ca', { ca, checkServerIdentity: expect.any(Function) }]
  ])('%j', (query, ssl) => {
    expect(postgresAddressOf(base + query, ca)).toEqual({ connectionString: base, ssl })
  })

  test('uses the CA certificates of Node.js by default', () => {
    expect(postgresAddressOf(`${base}?sslmode=verify-full`, null).ssl).toEqual({})
  })

  test('keeps the other parts of the URL', () => {
    const { connectionString } = postgresAddressOf(`${base}?sslmode=require&options=-c%20a`, null)
    expect(connectionString).toBe(`${base}?options=-c+a`)
  })
})

describe('sslModeOf', () => {
  test.each(['prefer', 'allow', 'verify_full', ''])('rejects the mode %j', (mode) => {
    expect(() => sslModeOf(`${base}?sslmode=${mode}`)).toThrow(
      'has an invalid sslmode; use one of disable, no-verify, require, verify-ca, verify-full'
    )
  })

  test.each(['sslrootcert', 'sslcert', 'ssl', 'uselibpqcompat'])('rejects %s', (name) => {
    expect(() => sslModeOf(`${base}?${name}=true`)).toThrow(
      `has the unsupported parameter ${name}; use sslmode and DATABASE_TLS_CA`
    )
  })
})
