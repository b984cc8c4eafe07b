/** Which way the services are run, and what external services must be told. */
import { expect, test } from '@jest/globals'
import { externalAddresses } from '../../../stack/external-services.ts'
import { chooseMode } from '../../../stack/services.ts'

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

test('external addresses are taken as they are', () => {
  const environment = {
    KAFKA_BROKERS: 'a:1,b:1',
    SCHEMA_REGISTRY_URL: 'http://a',
    REDIS_URL: 'redis://a',
    DATABASE_URL: 'postgres://a'
  }
  expect(externalAddresses(environment)).toEqual({
    kafkaBrokers: 'a:1,b:1',
    schemaRegistryUrl: 'http://a',
    redisUrl: 'redis://a',
    databaseUrl: 'postgres://a'
  })
})
