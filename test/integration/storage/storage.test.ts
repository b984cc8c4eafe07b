/** Tests the storage group as a process: bad messages, redelivery and conflicts. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../../../schemas/index.ts'
import type { Application } from '../../support/application.ts'
import { aDecision } from '../../support/builders.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { produce, readAll, waitUntilConsumed } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'

const encode = createEncode<Decision>(decisionContract.schema)
let sluice: Installation
let schemaId = 0
let storage: Application

beforeAll(async () => {
  sluice = await createInstallation()
  const registry = createRegistry(services().addresses.schemaRegistryUrl)
  const subject = subjectOf(sluice.topics.decisions)
  schemaId = (await registry.idOf(subject, decisionContract.text)) ?? 0
  storage = await sluice.start('storage')
})

/**
 * Writes to one partition, to keep the order, and waits until storage has consumed the messages.
 */
async function store(values: (Buffer | null)[]): Promise<void> {
  await produce(
    sluice.topics.decisions,
    values.map((value) => ({ key: 'agent', value, partition: 0 }))
  )
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
}

async function storedIds(organizationId: string): Promise<unknown[]> {
  const rows = await sluice.database.query(
    `select decision_id from decisions where organization_id = $1 order by decision_id`,
    [organizationId]
  )
  return rows.map((row) => row['decision_id'])
}

async function deadLetterReasons(values: (Buffer | null)[]): Promise<(string | undefined)[]> {
  const letters = await readAll(sluice.topics.decisionsDeadLetter)
  return values.map((value) => {
    const bytes = value ?? Buffer.alloc(0)
    return letters.find((letter) => letter.value?.equals(bytes))?.headers['dead_letter_reason']
  })
}

describe('storage', () => {
  test('dead-letters every kind of bad message, and stores the good ones between', async () => {
    await sluice.database.query(
      `alter table decisions add constraint refused check (domain is distinct from 'refused')`
    )
    const organization_id = randomUUID()
    const good = [0, 1, 2].map(() => aDecision({ organization_id }))
    const [first, second, third] = good.map((decision) => encode(decision, schemaId))
    const poison: [string, Buffer | null][] = [
      ['empty_value', null],
      ['wrong_wire_format', Buffer.from('{"not":"avro"}')],
      ['wrong_wire_format', Buffer.from([0, 1])],
      ['unknown_schema', encode(aDecision(), 999_999)],
      ['undecodable', encode(aDecision(), schemaId).subarray(0, 60)],
      ['undecodable', Buffer.concat([encode(aDecision(), schemaId), Buffer.from('more')])],
      ['invalid_decision', encode(aDecision({ organization_id: 'unknown' }), schemaId)],
      ['invalid_decision', encode(aDecision({ input: '{"broken":' }), schemaId)],
      ['invalid_decision', encode(aDecision({ agent_id: 'nul\u0000' }), schemaId)],
      ['refused_by_store', encode(aDecision({ domain: 'refused' }), schemaId)]
    ]
    const values = poison.map(([, value]) => value)
    await store([
      first ?? null,
      ...values.slice(0, 4),
      second ?? null,
      ...values.slice(4),
      third ?? null
    ])

    expect(await storedIds(organization_id)).toEqual(good.map((d) => d.decision_id).toSorted())
    expect(await deadLetterReasons(values)).toEqual(poison.map(([reason]) => reason))
  })

  test('keeps key and headers of a dead-lettered message, and adds its position', async () => {
    const value = Buffer.from(`poison ${randomUUID()}`)
    await produce(sluice.topics.decisions, [
      { key: 'the-agent', value, headers: { traceparent: '00-x' }, partition: 3 }
    ])
    await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
    const letters = await readAll(sluice.topics.decisionsDeadLetter)
    const letter = letters.find((candidate) => candidate.value?.equals(value))
    expect(letter?.key).toBe('the-agent')
    expect(letter?.headers).toMatchObject({
      traceparent: '00-x',
      dead_letter_step: 'decode',
      dead_letter_topic: sluice.topics.decisions,
      dead_letter_partition: '3'
    })
  })

  test('stores a decision once, however often and wherever it is delivered', async () => {
    const decision = aDecision()
    const value = encode(decision, schemaId)
    const later = encode({ ...decision, received_at: decision.received_at + 86_400_000 }, schemaId)
    await store([value, value, later])
    await store([value])
    expect(await storedIds(decision.organization_id)).toEqual([decision.decision_id])
    const counted = /sluice_consumed_total\{[^}]*outcome="duplicate"[^}]*\} (\d+)/
    expect(counted.exec(await storage.metrics())?.[1]).toBe('3')
  })

  test('dead-letters another decision under a taken id and keeps the first', async () => {
    const decision = aDecision({ output: 'first' })
    const other = encode({ ...decision, output: 'second' }, schemaId)
    await store([encode(decision, schemaId), other])
    const [row] = await sluice.database.query(
      `select output from decisions where organization_id = $1`,
      [decision.organization_id]
    )
    expect(row?.['output']).toBe('"first"')
    expect(await deadLetterReasons([other])).toEqual(['id_conflict'])
  })

  test('stores the same id in two organizations as two decisions', async () => {
    const decision = aDecision()
    const foreign = { ...decision, organization_id: randomUUID(), output: 'another' }
    await store([encode(decision, schemaId), encode(foreign, schemaId)])
    expect(await storedIds(decision.organization_id)).toEqual([decision.decision_id])
    expect(await storedIds(foreign.organization_id)).toEqual([decision.decision_id])
  })
})

test('is not delayed by a foreign key of 1 MB', async () => {
  const decision = aDecision()
  const long = encode(aDecision({ agent_id: 'a'.repeat(1_000_000) }), schemaId)
  await produce(sluice.topics.decisions, [
    { key: 'k'.repeat(900_000), value: Buffer.from('poison'), partition: 0 },
    { key: 'agent', value: long, partition: 0 },
    { key: 'agent', value: encode(decision, schemaId), partition: 0 }
  ])
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  expect(await storedIds(decision.organization_id)).toEqual([decision.decision_id])
  expect(await deadLetterReasons([long])).toEqual(['invalid_decision'])
})
