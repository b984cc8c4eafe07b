/** Each sslmode means what the documents say, whatever release the driver is. */
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

  test('without an authority trusts those that Node knows', () => {
    expect(postgresAddressOf(`${base}?sslmode=verify-full`, null).ssl).toEqual({})
  })

  test('keeps what else the URL says', () => {
    const { connectionString } = postgresAddressOf(`${base}?sslmode=require&options=-c%20a`, null)
    expect(connectionString).toBe(`${base}?options=-c+a`)
  })
})

describe('sslModeOf', () => {
  test.each(['prefer', 'allow', 'verify_full', ''])('refuses the mode %j', (mode) => {
    expect(() => sslModeOf(`${base}?sslmode=${mode}`)).toThrow(
      'has an sslmode that is none of disable, no-verify, require, verify-ca, verify-full'
    )
  })

  test.each(['sslrootcert', 'sslcert', 'ssl', 'uselibpqcompat'])('refuses %s', (name) => {
    expect(() => sslModeOf(`${base}?${name}=true`)).toThrow(
      `has the parameter ${name}, which is not read: use sslmode and a TLS setting`
    )
  })
})
