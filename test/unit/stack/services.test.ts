/** Which way the services are run, and what external services must be told. */
import { expect, test } from '@jest/globals'
import { externalAddresses } from '../../../stack/external-services.ts'
import { chooseMode } from '../../../stack/services.ts'

const external = {
  KAFKA_BROKERS: 'a:1,b:1',
  SCHEMA_REGISTRY_URL: 'http://a',
  REDIS_URL: 'redis://a',
  DATABASE_URL: 'postgres://a'
}

test.each(['docker', 'native', 'external'])('SLUICE_STACK=%s is obeyed', async (wanted) => {
  expect(await chooseMode(wanted)).toEqual({ mode: wanted, reason: 'SLUICE_STACK says so' })
})

test('any other word is refused with the words that would do', async () => {
  await expect(chooseMode('podman')).rejects.toThrow(/"podman"; it can be docker, native, external/)
})

test('external services are told about every missing address at once', () => {
  const environment = { KAFKA_BROKERS: 'a:1', REDIS_URL: 'redis://a' }
  expect(() => externalAddresses(environment)).toThrow(/set SCHEMA_REGISTRY_URL, DATABASE_URL$/)
})

test.each([
  ['REDIS_URL', 'nonsense', 'is no URL that begins with redis:// or rediss:// and names a host'],
  ['DATABASE_URL', 'localhost:5432', /is no URL that begins with postgres:\/\//],
  ['SCHEMA_REGISTRY_URL', 'ftp://a', /is no URL that begins with http:\/\//],
  ['KAFKA_BROKERS', 'a', 'holds "a", expected host:port']
])('an external %s of %s is refused with what would do', (name, value, expected) => {
  const environment = { ...external, [name]: value }
  expect(() => externalAddresses(environment)).toThrow(expected)
  expect(() => externalAddresses(environment)).toThrow(new RegExp(`^${name} `))
})

test('external addresses are taken as they are', () => {
  expect(externalAddresses(external)).toEqual({
    kafkaBrokers: 'a:1,b:1',
    schemaRegistryUrl: 'http://a',
    redisUrl: 'redis://a',
    databaseUrl: 'postgres://a'
  })
})
