/** Tests that each process accepts the configuration that the chart gives it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { generateKeyPairSync } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readConsumerConfig } from '../../consumers/config.ts'
import { readGatewayConfig } from '../../gateway/config.ts'
import { createAuthority } from '../support/certificates.ts'
import { findHelm, render } from '../support/deploy/helm.ts'
import { containersOf } from '../support/deploy/pods.ts'
import type { Container } from '../support/deploy/pods.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-mounted-'))
const mounted = '/run/secrets/sluice'
const isThere = (await findHelm()) !== null
if (!isThere) process.stderr.write('Without Helm the chart is not rendered.\n')

beforeAll(async () => {
  if (!isThere) return
  const { ca, issue } = await createAuthority('Example')
  const { cert, key } = await issue('sluice')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const secrets = {
    DATABASE_URL: 'postgres://sluice:secret@postgres.example/sluice?sslmode=verify-full',
    REDIS_URL: 'rediss://:secret@redis.example',
    API_KEY_PEPPER: 'p'.repeat(32),
    SECRETS_KEY: 's'.repeat(32),
    SESSION_SIGNING_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    MAIL_URL: 'smtp://me:secret@mail.example',
    KAFKA_SASL_PASSWORD: 'secret',
    ...{ KAFKA_TLS_CA: ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key },
    ...{ DATABASE_TLS_CA: ca, REDIS_TLS_CA: ca, SCHEMA_REGISTRY_TLS_CA: ca }
  }
  // Add a line feed to each value, because Secrets created from files often end with one.
  for (const [name, value] of Object.entries(secrets)) {
    writeFileSync(join(folder, name), `${value}\n`)
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

function environmentOf({ env }: Container): Record<string, string> {
  return Object.fromEntries(env.map(({ name, value }) => [name, value.replace(mounted, folder)]))
}

const readers = {
  ...{ gateway: readGatewayConfig, reads: readGatewayConfig },
  ...{ storage: readConsumerConfig, evaluation: readConsumerConfig }
}
const tls = ['--set', 'strimzi.users.authentication=tls']

const describeWithHelm = isThere ? describe : describe.skip

describeWithHelm.each([
  ['default', ['--values', 'test/deploy/values/default.yaml'], 3],
  ['minimal', ['--values', 'deploy/helm/examples/minimal.yaml'], 3],
  ['production', ['--values', 'deploy/helm/examples/production.yaml'], 4],
  ['strimzi', ['--values', 'deploy/helm/examples/strimzi.yaml'], 3],
  ['strimzi with certificates', ['--values', 'deploy/helm/examples/strimzi.yaml', ...tls], 3]
])('%s', (_, values, count) => {
  test('every process accepts its configuration', async () => {
    const containers = containersOf(await render(...values))
    const processes = containers.filter(({ name }) => name in readers)
    expect(processes).toHaveLength(count)
    for (const container of processes) {
      const read = readers[container.name as keyof typeof readers]
      const config = read(environmentOf(container))
      expect(config.DATABASE_URL).toContain('postgres.example')
    }
  })
})
