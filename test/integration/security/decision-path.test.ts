/** Tests the path of a decision with TLS from the CLI, the gateway and storage to Kafka, the
 * schema registry, Redis and Postgres.
 */
import { beforeAll, expect, jest, test } from '@jest/globals'
import { startApplication } from '../../support/application.ts'
import { aDecisionBody } from '../../support/builders.ts'
import { createAuthority } from '../../support/certificates.ts'
import type { Authority } from '../../support/certificates.ts'
import { canEncryptPostgres, encryptPostgres } from '../../support/encrypt-postgres.ts'
import { clientOf, createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { canStartSecureKafka, startSecureKafka } from '../../support/secure-kafka.ts'
import { services } from '../../support/services.ts'
import { startHttpsFront, startRedisFront } from '../../support/tls-front.ts'
import { runSluice } from '../../../stack/sluice-command.ts'
import { waitUntil } from '../../support/wait-until.ts'

jest.setTimeout(180_000)

const canRun = canStartSecureKafka() && canEncryptPostgres()
const secureTest = canRun ? test : test.skip
const login = 'sluice:registry-password'

let sluice: Installation
let environment: NodeJS.ProcessEnv

beforeAll(async () => {
  if (!canRun) return
  const authority = await createAuthority('The authority of everything')
  const [kafka] = await Promise.all([startSecureKafka(authority), encrypt(authority)])
  sluice = await createInstallation()
  environment = {
    ...sluice.environment,
    ...(await storesOver(authority)),
    KAFKA_BROKERS: kafka.saslBrokers,
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA: authority.ca,
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: kafka.username,
    KAFKA_SASL_PASSWORD: kafka.password
  }
})

async function encrypt(authority: Authority): Promise<void> {
  await encryptPostgres(await authority.issue('postgres'))
}

async function storesOver(authority: Authority): Promise<NodeJS.ProcessEnv> {
  const { addresses } = services()
  const redis = await startRedisFront(addresses.redisUrl, await authority.issue('redis'))
  const issued = await authority.issue('registry')
  const registry = await startHttpsFront(addresses.schemaRegistryUrl, issued, login)
  return {
    SCHEMA_REGISTRY_URL: registry.url.replace('https://', `https://${login}@`),
    SCHEMA_REGISTRY_TLS_CA: authority.ca,
    REDIS_URL: redis.href,
    REDIS_TLS_CA: authority.ca,
    DATABASE_URL: `${sluice.environment['DATABASE_URL']}?sslmode=verify-full`,
    DATABASE_TLS_CA: authority.ca
  }
}

secureTest('accepts, stores and returns a decision', async () => {
  for (const args of [['migrate'], ['topics', 'apply'], ['schemas', 'register']]) {
    await runSluice({ args, environment })
  }
  const [gateway] = await Promise.all([
    startApplication('gateway', { environment }),
    startApplication('storage', { environment })
  ])
  const client = clientOf(gateway, await sluice.createTenant())
  const id = await client.accept(aDecisionBody())
  const { status, body } = await client.get(`/v1/decisions/${id}?wait=20`)
  expect({ status, id: body['decision_id'] }).toEqual({ status: 200, id })
  // Waits, because Redis can time out once on a busy machine. With a wrong certificate, the limits
  // would stay local.
  await waitUntil('Redis shares the rate limits', async () =>
    (await gateway.metrics()).includes('sluice_rate_limit_local 0')
  )
})

secureTest('logs a wrong password as the reason why a gateway is not ready', async () => {
  const gateway = await startApplication('gateway', {
    environment: { ...environment, KAFKA_SASL_PASSWORD: 'hunter2' },
    waitReady: false
  })
  await waitUntil('the log says so', () => gateway.log().includes('SASL authentication failed'))
  expect(await gateway.isReady()).toBe(false)
  expect(gateway.log()).not.toContain('hunter2')
})
