/** Tests that a gateway needs only the settings that its routes need. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readGatewayConfig } from '../../../gateway/config.ts'
import type { Environment } from '../../../platform/config/config.ts'

const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const always = {
  REDIS_URL: 'redis://redis',
  DATABASE_URL: 'postgres://postgres',
  API_KEY_PEPPER: 'a pepper of more than 32 characters'
}
const log = { KAFKA_BROKERS: 'kafka:9092', SCHEMA_REGISTRY_URL: 'http://registry' }
const session = { SESSION_SIGNING_KEY: String(signingKey.export({ type: 'pkcs8', format: 'pem' })) }

function missingIn(environment: Environment): string[] {
  try {
    readGatewayConfig(environment)
    return []
  } catch (error) {
    return [...(error as Error).message.matchAll(/- (\w+) is not set/g)].map(
      ([, name = '']) => name
    )
  }
}

test('all routes need Kafka, the registry and a signing key', () => {
  expect(missingIn(always)).toEqual(['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL', 'SESSION_SIGNING_KEY'])
  const config = readGatewayConfig({ ...always, ...log, ...session })
  expect(config).toMatchObject({ KAFKA_BROKERS: ['kafka:9092'], ...session })
})

test('ingest needs no signing key and does not read one', () => {
  const environment = { ...always, ...log, GATEWAY_ROUTES: 'ingest' }
  expect(missingIn(environment)).toEqual([])
  const config = readGatewayConfig({ ...environment, SESSION_SIGNING_KEY: 'broken' })
  expect(config).toMatchObject({
    SESSION_SIGNING_KEY: null,
    SCHEMA_REGISTRY_URL: 'http://registry'
  })
})

test('api needs neither Kafka nor the registry and does not read their settings', () => {
  const environment = { ...always, ...session, GATEWAY_ROUTES: 'api' }
  expect(missingIn(environment)).toEqual([])
  const config = readGatewayConfig({ ...environment, KAFKA_BROKERS: 'broken' })
  expect(config).toMatchObject({ KAFKA_BROKERS: null, SCHEMA_REGISTRY_URL: null, ...session })
})

test('the routes may be set in a file, like every setting', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'))
  const path = join(folder, 'routes')
  writeFileSync(path, 'api\n')
  expect(missingIn({ ...always, ...session, GATEWAY_ROUTES_FILE: path })).toEqual([])
  rmSync(folder, { recursive: true })
})

test('unknown routes are reported together with the other errors', () => {
  expect(() => readGatewayConfig({ ...always, GATEWAY_ROUTES: 'some' })).toThrow(
    /has 4 problem\(s\):[^]*GATEWAY_ROUTES is "some", expected one of ingest, api, all/
  )
})
