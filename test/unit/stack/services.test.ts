/** Tests the choice of the stack mode, and the addresses of external services. */
import { expect, test } from '@jest/globals'
import { externalAddresses } from '../../../stack/external-services.ts'
import { chooseMode } from '../../../stack/services.ts'

const external = {
  KAFKA_BROKERS: 'a:1,b:1',
  SCHEMA_REGISTRY_URL: 'http://a',
  REDIS_URL: 'redis://a',
  DATABASE_URL: 'postgres://a'
}

test.each(['docker', 'native', 'external'])('uses SLUICE_STACK=%s', async (wanted) => {
  expect(await chooseMode(wanted)).toEqual({ mode: wanted, reason: 'set by SLUICE_STACK' })
})

test('rejects an unknown mode and lists the valid ones', async () => {
  await expect(chooseMode('podman')).rejects.toThrow(
    /"podman"; use one of docker, native, external/
  )
})

test('lists all missing addresses of external services', () => {
  const environment = { KAFKA_BROKERS: 'a:1', REDIS_URL: 'redis://a' }
  expect(() => externalAddresses(environment)).toThrow(/set SCHEMA_REGISTRY_URL, DATABASE_URL$/)
})

test.each([
  [
    'REDIS_URL',
    'nonsense',
    'must be a URL that begins with redis:// or rediss:// and names a host'
  ],
  ['DATABASE_URL', 'localhost:5432', /must be a URL that begins with postgres:\/\//],
  ['SCHEMA_REGISTRY_URL', 'ftp://a', /must be a URL that begins with http:\/\//],
  ['KAFKA_BROKERS', 'a', 'contains "a", expected host:port']
])('rejects an external %s of %s and says what is valid', (name, value, expected) => {
  const environment = { ...external, [name]: value }
  expect(() => externalAddresses(environment)).toThrow(expected)
  expect(() => externalAddresses(environment)).toThrow(new RegExp(`^${name} `))
})

test('uses external addresses unchanged', () => {
  expect(externalAddresses(external)).toEqual({
    kafkaBrokers: 'a:1,b:1',
    schemaRegistryUrl: 'http://a',
    redisUrl: 'redis://a',
    databaseUrl: 'postgres://a'
  })
})
