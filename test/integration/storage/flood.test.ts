/** A flood of dead letters on one partition, as a registry that lost a schema makes it. */
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
const floodMax = 20
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
  registryUrl = await startForgetfulRegistry()
})

/** Before the real registry, and knows nothing of one schema while that is lost. */
async function startForgetfulRegistry(): Promise<string> {
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

/** Storage that knows the registry by its forgetful front. */
function startStorage(floodMaxSetting: number): Promise<Application> {
  return sluice.start('storage', {
    SCHEMA_REGISTRY_URL: registryUrl,
    DEAD_LETTERS_FLOOD_MAX: String(floodMaxSetting)
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

async function isStopped(storage: Application, partition: number): Promise<boolean> {
  const gauge = new RegExp(
    `sluice_consumer_stopped_partitions\\{[^}]*partition="${partition}"[^}]*\\} 1`
  )
  return gauge.test(await storage.metrics())
}

async function committed(partition: number): Promise<bigint | undefined> {
  return (await committedOffsets(sluice.groups.storage, sluice.topics.decisions)).get(partition)
}

test('stops alone before its first, and goes on when the schema is there', async () => {
  const organization = randomUUID()
  const storage = await startStorage(floodMax)
  await send(0, [
    ...many(before, () => encoded(organization)),
    ...many(3 * floodMax, () => encoded(organization, lostId))
  ])
  await waitUntil('the partition is stopped', () => isStopped(storage, 0))
  const other = randomUUID()
  await send(1, [...many(5, () => encoded(other)), Buffer.from('poison')])
  await waitUntil('the other partition goes on', async () => (await storedBy(other)) === 5)
  await waitUntil('and is committed', async () => (await committed(1)) === 6n)
  expect(await committed(0)).toBe(BigInt(before))
  expect(await storedBy(organization)).toBe(before)
  expect(await reasonsOfLetters()).toEqual(['wrong_wire_format'])
  expect(await isStopped(storage, 1)).toBe(false)
  const told = storage
    .log()
    .split('\n')
    .filter((line) => line.includes('flood'))
  expect(told).toHaveLength(1)
  expect(JSON.parse(told[0] ?? '')).toMatchObject({
    level: 'error',
    topic: sluice.topics.decisions,
    partition: 0,
    offset: String(before),
    dead_letters: floodMax,
    reasons: { unknown_schema: floodMax }
  })

  isLost = false
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions, 40_000)
  expect(await storedBy(organization)).toBe(before + 3 * floodMax)
  await waitUntil('it is no longer shown', async () => !(await isStopped(storage, 0)))
  expect(await reasonsOfLetters()).toEqual(['wrong_wire_format'])
  await storage.stop()
}, 120_000)

test('a true flood is let through by whoever says so', async () => {
  const letters = (await reasonsOfLetters()).length
  await send(
    2,
    many(3 * floodMax, () => Buffer.from(`poison ${randomUUID()}`))
  )
  const cautious = await startStorage(floodMax)
  await waitUntil('the partition is stopped', () => isStopped(cautious, 2))
  await cautious.stop()
  expect(await reasonsOfLetters()).toHaveLength(letters)
  const bold = await startStorage(0)
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  expect(await reasonsOfLetters()).toHaveLength(letters + 3 * floodMax)
  await bold.stop()
}, 120_000)

async function reasonsOfLetters(): Promise<(string | undefined)[]> {
  const letters = await readAll(sluice.topics.decisionsDeadLetter)
  return letters.map(({ headers }) => headers['dead_letter_reason'])
}
