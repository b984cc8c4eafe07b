/** Tests the dead-letter limit on one partition, with a registry that lost a schema. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from '@jest/globals'
import { createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../../../schemas/index.ts'
import type { Application } from '../../support/application.ts'
import { aDecision } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { committedOffsets, produce, readAll, uniqueName } from '../../support/kafka.ts'
import { waitUntilConsumed } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'

const encode = createEncode<Decision>(decisionContract.schema)
const deadLettersMax = 20
const before = 7
let sluice: Installation
let schemaId = 0
let lostId = 0
let registryUrl = ''
let isLost = true

beforeAll(async () => {
  sluice = await createInstallation()
  const registry = createRegistry(services().addresses.schemaRegistryUrl)
  const subject = subjectOf(sluice.topics.decisions)
  schemaId = (await registry.idOf(subject, decisionContract.text)) ?? 0
  const { fields, ...rest } = JSON.parse(decisionContract.text) as { fields: object[] }
  const same = JSON.stringify({ ...rest, doc: `made for ${randomUUID()}`, fields })
  lostId = await registry.register(subjectOf(uniqueName('lost')), same)
  registryUrl = await startLossyRegistry()
})

/**
 * Starts a proxy to the real registry. While `isLost` is set, the proxy reports that one schema
 * does not exist.
 */
async function startLossyRegistry(): Promise<string> {
  const { origin, pathname } = new URL(services().addresses.schemaRegistryUrl)
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (isLost && path.endsWith(`/schemas/ids/${lostId}`)) {
      response.writeHead(404).end('{"error_code":40403,"message":"no such schema"}')
      return
    }
    const forward = async (): Promise<void> => {
      const answer = await fetch(`${origin}${path}`)
      response.writeHead(answer.status).end(await answer.text())
    }
    forward().catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onEnd(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`
}

/** Starts storage with the proxy as the registry. */
function startStorage(limit: number): Promise<Application> {
  return sluice.start('storage', {
    SCHEMA_REGISTRY_URL: registryUrl,
    DEAD_LETTERS_MAX: String(limit)
  })
}

async function send(partition: number, values: readonly Buffer[]): Promise<void> {
  await produce(
    sluice.topics.decisions,
    values.map((value) => ({ key: 'agent', value, partition }))
  )
}

function encoded(organization_id: string, id = schemaId): Buffer {
  return encode(aDecision({ organization_id }), id)
}

function many(count: number, valueOf: () => Buffer): Buffer[] {
  return Array.from({ length: count }, valueOf)
}

async function storedBy(organizationId: string): Promise<number> {
  const [row] = await sluice.database.query<{ n: number }>(
    `select count(*)::integer as n from decisions where organization_id = $1`,
    [organizationId]
  )
  return row?.n ?? 0
}

async function isPaused(storage: Application, partition: number): Promise<boolean> {
  const gauge = new RegExp(
    `sluice_consumer_paused_partitions\\{[^}]*partition="${partition}"[^}]*\\} 1`
  )
  return gauge.test(await storage.metrics())
}

async function committed(partition: number): Promise<bigint | undefined> {
  return (await committedOffsets(sluice.groups.storage, sluice.topics.decisions)).get(partition)
}

test('pauses one partition at its first bad message, and resumes once it is readable', async () => {
  const organization = randomUUID()
  const storage = await startStorage(deadLettersMax)
  await send(0, [
    ...many(before, () => encoded(organization)),
    ...many(3 * deadLettersMax, () => encoded(organization, lostId))
  ])
  await waitUntil('the partition is paused', () => isPaused(storage, 0))
  const other = randomUUID()
  await send(1, [...many(5, () => encoded(other)), Buffer.from('poison')])
  await waitUntil('the other partition continues', async () => (await storedBy(other)) === 5)
  await waitUntil('its offset is committed', async () => (await committed(1)) === 6n)
  expect(await committed(0)).toBe(BigInt(before))
  expect(await storedBy(organization)).toBe(before)
  expect(await deadLetterReasons()).toEqual(['wrong_wire_format'])
  expect(await isPaused(storage, 1)).toBe(false)
  const logged = storage
    .log()
    .split('\n')
    .filter((line) => line.includes('dead-letter limit reached'))
  expect(logged).toHaveLength(1)
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({
    level: 'error',
    topic: sluice.topics.decisions,
    partition: 0,
    offset: String(before),
    dead_letters: deadLettersMax,
    reasons: { unknown_schema: deadLettersMax }
  })

  isLost = false
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions, 40_000)
  expect(await storedBy(organization)).toBe(before + 3 * deadLettersMax)
  await waitUntil('it is no longer paused', async () => !(await isPaused(storage, 0)))
  expect(await deadLetterReasons()).toEqual(['wrong_wire_format'])
  await storage.stop()
}, 120_000)

test('dead-letters the messages when the limit is disabled', async () => {
  const earlier = (await deadLetterReasons()).length
  await send(
    2,
    many(3 * deadLettersMax, () => Buffer.from(`poison ${randomUUID()}`))
  )
  const limited = await startStorage(deadLettersMax)
  await waitUntil('the partition is paused', () => isPaused(limited, 2))
  await limited.stop()
  expect(await deadLetterReasons()).toHaveLength(earlier)
  const unlimited = await startStorage(0)
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  expect(await deadLetterReasons()).toHaveLength(earlier + 3 * deadLettersMax)
  await unlimited.stop()
}, 120_000)

async function deadLetterReasons(): Promise<(string | undefined)[]> {
  const records = await readAll(sluice.topics.decisionsDeadLetter)
  return records.map(({ headers }) => headers['dead_letter_reason'])
}
