/** Tests that a bootstrap request is built from options and the environment. */
import { expect, test } from '@jest/globals'
import { bootstrapRequestOf } from '../../../../cli/accounts/bootstrap-request.ts'
import { createApiKey } from '../../../../core/ids/api-key.ts'
import type { ApiKeyScope } from '../../../../core/ids/api-key.ts'

const { api_key, key_id, secret } = createApiKey('prod')
const scopes: readonly ApiKeyScope[] = ['ingest']
const defaults = { keyEnv: 'local', scopes }
const config = {
  BOOTSTRAP_ORGANIZATION: 'Acme',
  BOOTSTRAP_EMAIL: ' Ada@Example.com ',
  BOOTSTRAP_PASSWORD: 'correct horse',
  BOOTSTRAP_API_KEY: api_key
}
const silent = {
  BOOTSTRAP_ORGANIZATION: null,
  BOOTSTRAP_EMAIL: null,
  BOOTSTRAP_PASSWORD: null,
  BOOTSTRAP_API_KEY: null
}

test('reads absent options from the environment', () => {
  expect(bootstrapRequestOf(defaults, config)).toEqual({
    ...{ organization: 'Acme', email: 'ada@example.com', password: 'correct horse' },
    ...{ keyEnv: 'prod', scopes, rateLimit: null, addsKey: false },
    givenKey: { key_id, secret }
  })
})

test('prefers options, and generates a key with --add-key', () => {
  const options = { ...defaults, email: 'eve@example.com', addKey: true, rateLimit: 5 }
  expect(bootstrapRequestOf(options, config)).toMatchObject({
    ...{ organization: 'Acme', email: 'eve@example.com', keyEnv: 'local', rateLimit: 5 },
    ...{ givenKey: null, addsKey: true }
  })
})

test('lists all missing values and how to set them', () => {
  expect(() => bootstrapRequestOf(defaults, silent)).toThrow(
    '--organization is missing: pass it, or set BOOTSTRAP_ORGANIZATION; --email is missing: ' +
      'pass it, or set BOOTSTRAP_EMAIL; --password is missing: pass it, or set ' +
      'BOOTSTRAP_PASSWORD'
  )
})

test.each([
  [{ BOOTSTRAP_ORGANIZATION: 'a\nb' }, 'the organization is invalid: a name must have 1 to 100'],
  [{ BOOTSTRAP_EMAIL: 'ada' }, 'the email must be an email address'],
  [{ BOOTSTRAP_PASSWORD: 'password' }, 'the password must not be a common password'],
  [{ BOOTSTRAP_PASSWORD: 'ada@example.com' }, 'the password must not be the email'],
  [{ BOOTSTRAP_API_KEY: `${api_key}x` }, 'BOOTSTRAP_API_KEY is not a valid API key']
])('rejects %j like the registration API', (members, message) => {
  expect(() => bootstrapRequestOf(defaults, { ...config, ...members })).toThrow(message)
})

test('does not repeat an invalid API key', () => {
  const wrong = { ...config, BOOTSTRAP_API_KEY: `${api_key}x` }
  expect(() => bootstrapRequestOf(defaults, wrong)).not.toThrow(secret)
})
