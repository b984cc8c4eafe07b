/** Tests writers and readers of two versions on one topic, as during an upgrade. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createDecoderFactory, createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import type { Evaluation } from '../../../core/evaluation/evaluation.ts'
import { readWireFormat } from '../../../core/wire-format.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import type { Registry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, evaluationContract, subjectOf } from '../../../schemas/index.ts'
import { aDecision, anEvaluation } from '../../support/builders.ts'
import { clientOf, createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { produce, readAll, waitUntilConsumed } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'

/**
 * Creates the next schema version: one more optional field at the end, as schemas/README.md
 * requires.
 */
function nextOf(text: string): { readonly text: string; readonly schema: object } {
  const today = JSON.parse(text) as { fields: object[] }
  const field = { name: 'model', type: ['null', 'string'], default: null }
  const schema = { ...today, fields: [...today.fields, field] }
  return { text: JSON.stringify(schema), schema }
}

const nextDecision = nextOf(decisionContract.text)
const nextEvaluation = nextOf(evaluationContract.text)
const encodeToday = createEncode<Decision>(decisionContract.schema)
const encodeNext = createEncode<Decision & { model: string }>(nextDecision.schema)

let sluice: Installation
let registry: Registry
let today = 0
let next = 0

beforeAll(async () => {
  sluice = await createInstallation()
  registry = createRegistry(services().addresses.schemaRegistryUrl)
  const subject = subjectOf(sluice.topics.decisions)
  today = (await registry.idOf(subject, decisionContract.text)) ?? 0
  expect(await registry.compatibilityOf(subject)).toBe('FULL_TRANSITIVE')
  next = await registry.register(subject, nextDecision.text)
  expect(next).not.toBe(today)
  await sluice.start('storage')
})

async function storedIds(organizationId: string): Promise<unknown[]> {
  const rows = await sluice.database.query(
    'select decision_id from decisions where organization_id = $1 order by decision_id',
    [organizationId]
  )
  return rows.map((row) => row['decision_id'])
}

/** Reads a topic as a consumer of the next version. Returns the new field by decision ID. */
async function readByNext(topic: string, readerSchema: object): Promise<Map<unknown, unknown>> {
  const decoderOf = createDecoderFactory<Record<string, unknown>>(readerSchema)
  const records = await readAll(topic)
  const values = await Promise.all(
    records.map(async ({ value }) => {
      const { schemaId, payload } = readWireFormat(value ?? Buffer.alloc(0))
      return decoderOf((await registry.schemaOf(schemaId)) ?? {})(payload)
    })
  )
  return new Map(values.map((value) => [value['decision_id'], value['model']]))
}

async function expectNoDeadLetters(): Promise<void> {
  expect(await readAll(sluice.topics.decisionsDeadLetter)).toEqual([])
  expect(await readAll(sluice.topics.evaluationsDeadLetter)).toEqual([])
}

describe('two versions on one topic', () => {
  test("are stored by today's storage, and read by a reader of the next version", async () => {
    const organization_id = randomUUID()
    const decisions = Array.from({ length: 20 }, () => aDecision({ organization_id }))
    const isNext = (index: number): boolean => index % 3 === 1
    await produce(
      sluice.topics.decisions,
      decisions.map((decision, index) => ({
        key: 'agent',
        value: isNext(index)
          ? encodeNext({ ...decision, model: `m-${index}` }, next)
          : encodeToday(decision, today)
      }))
    )
    await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
    expect(await storedIds(organization_id)).toEqual(
      decisions.map(({ decision_id }) => decision_id).toSorted()
    )
    const seen = await readByNext(sluice.topics.decisions, nextDecision.schema)
    expect(decisions.map(({ decision_id }) => seen.get(decision_id))).toEqual(
      decisions.map((_, index) => (isNext(index) ? `m-${index}` : null))
    )
    await expectNoDeadLetters()
  })

  test('have the same identity for the same decision, in any order', async () => {
    const [first, second] = [aDecision(), aDecision()]
    const values = [
      ...[encodeToday(first, today), encodeNext({ ...first, model: 'm' }, next)],
      ...[encodeNext({ ...second, model: 'm' }, next), encodeToday(second, today)]
    ]
    await produce(
      sluice.topics.decisions,
      values.map((value) => ({ key: 'agent', value }))
    )
    await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
    expect(await storedIds(first.organization_id)).toEqual([first.decision_id])
    expect(await storedIds(second.organization_id)).toEqual([second.decision_id])
    await expectNoDeadLetters()
  })

  test('store evaluations of both versions', async () => {
    const subject = subjectOf(sluice.topics.evaluations)
    const [old, young] = [
      (await registry.idOf(subject, evaluationContract.text)) ?? 0,
      await registry.register(subject, nextEvaluation.text)
    ]
    const evaluations = [anEvaluation(), anEvaluation()] as const
    const encodeOld = createEncode<Evaluation>(evaluationContract.schema)
    const encodeYoung = createEncode<Evaluation & { model: string }>(nextEvaluation.schema)
    await produce(sluice.topics.evaluations, [
      { key: 'agent', value: encodeOld(evaluations[0], old) },
      { key: 'agent', value: encodeYoung({ ...evaluations[1], model: 'm' }, young) }
    ])
    await waitUntilConsumed(sluice.groups.storageOfEvaluations, sluice.topics.evaluations)
    const rows = await sluice.database.query(
      'select distinct decision_id from evaluation_runs where decision_id = any($1::uuid[])',
      [evaluations.map(({ decision_id }) => decision_id)]
    )
    expect(rows).toHaveLength(2)
    const seen = await readByNext(sluice.topics.evaluations, nextEvaluation.schema)
    expect(evaluations.map(({ decision_id }) => seen.get(decision_id))).toEqual([null, 'm'])
    await expectNoDeadLetters()
  })
})

test('let a gateway of today start and write while the next version runs', async () => {
  const tenant = await sluice.createTenant()
  const [gateway] = await Promise.all([sluice.start('gateway'), sluice.start('evaluation')])
  const client = clientOf(gateway, tenant)
  const id = await client.accept({ input: 1, output: 'yes', agent_id: 'agent' })
  const stored = await client.get(`/v1/decisions/${id}?wait=30&until=evaluated`)
  expect(stored).toMatchObject({ status: 200, body: { evaluation: { status: 'evaluated' } } })
  const records = await readAll(sluice.topics.decisions)
  const written = records.find(({ headers }) => headers['decision_id'] === id)
  expect(written?.value?.readInt32BE(1)).toBe(today)
  const seen = await readByNext(sluice.topics.decisions, nextDecision.schema)
  expect(seen.get(id)).toBeNull()
  await expectNoDeadLetters()
})
