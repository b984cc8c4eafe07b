/** Options and environment to what bootstrap is asked for. */
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

test('what is not given is taken from the environment', () => {
  expect(bootstrapRequestOf(defaults, config)).toEqual({
    ...{ organization: 'Acme', email: 'ada@example.com', password: 'correct horse' },
    ...{ keyEnv: 'prod', scopes, rateLimit: null, addsKey: false },
    givenKey: { key_id, secret }
  })
})

test('options win, and one more key is a new one', () => {
  const options = { ...defaults, email: 'eve@example.com', addKey: true, rateLimit: 5 }
  expect(bootstrapRequestOf(options, config)).toMatchObject({
    ...{ organization: 'Acme', email: 'eve@example.com', keyEnv: 'local', rateLimit: 5 },
    ...{ givenKey: null, addsKey: true }
  })
})

test('all that is missing is said at once, with where to say it', () => {
  expect(() => bootstrapRequestOf(defaults, silent)).toThrow(
    'give --organization, or BOOTSTRAP_ORGANIZATION in the environment; ' +
      'give --email, or BOOTSTRAP_EMAIL in the environment; ' +
      'give --password, or BOOTSTRAP_PASSWORD in the environment'
  )
})

test.each([
  [{ BOOTSTRAP_ORGANIZATION: 'a\nb' }, 'the organization does not fit: give a name of 1 to 100'],
  [{ BOOTSTRAP_EMAIL: 'ada' }, 'the email must be an email address'],
  [{ BOOTSTRAP_PASSWORD: 'password' }, 'the password is among the first that everybody tries'],
  [{ BOOTSTRAP_PASSWORD: 'ada@example.com' }, 'the password must not be the email'],
  [{ BOOTSTRAP_API_KEY: `${api_key}x` }, 'BOOTSTRAP_API_KEY is no API key']
])('%j is refused as registering refuses it', (members, message) => {
  expect(() => bootstrapRequestOf(defaults, { ...config, ...members })).toThrow(message)
})

test('a key that is mistyped is not repeated', () => {
  const wrong = { ...config, BOOTSTRAP_API_KEY: `${api_key}x` }
  expect(() => bootstrapRequestOf(defaults, wrong)).not.toThrow(secret)
})
