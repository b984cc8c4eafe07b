/** Tests that no message is skipped while the dead-letter topic is missing or accepts only small
 * messages.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../../../schemas/index.ts'
import { aDecision } from '../../support/builders.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { committedOffsets, configureTopic, deleteTopic } from '../../support/kafka.ts'
import { produce, readAll, waitUntilConsumed } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'

const encode = createEncode<Decision>(decisionContract.schema)

/** Produces a good decision, a bad message, and another good decision to partition 0. */
async function produceAround(sluice: Installation, poison: Buffer): Promise<Decision[]> {
  const registry = createRegistry(services().addresses.schemaRegistryUrl)
  const subject = subjectOf(sluice.topics.decisions)
  const schemaId = (await registry.idOf(subject, decisionContract.text)) ?? 0
  const organization_id = randomUUID()
  const good = [0, 1].map(() => aDecision({ organization_id }))
  const [first, second] = good.map((decision) => encode(decision, schemaId))
  await produce(
    sluice.topics.decisions,
    [first, poison, second].map((value) => ({ key: 'a', value: value ?? null, partition: 0 }))
  )
  return good
}

test.each<[string, (topic: string) => Promise<void>, (sluice: Installation) => Promise<unknown>]>([
  ['is missing', deleteTopic, (sluice) => sluice.sluice('topics', 'apply')],
  [
    'has a small max.message.bytes',
    (topic) => configureTopic(topic, { 'max.message.bytes': '2000' }),
    (sluice) => sluice.sluice('topics', 'apply')
  ]
])(
  'pauses the partition while the dead-letter topic %s',
  async (_what, breakTopic, fix) => {
    const sluice = await createInstallation()
    await breakTopic(sluice.topics.decisionsDeadLetter)
    const storage = await sluice.start('storage')
    const poison = Buffer.from(`poison ${'x'.repeat(10_000)}`)
    const [first, second] = await produceAround(sluice, poison)
    await waitUntil(
      'the partition is paused',
      async () => /sluice_consumer_paused_partitions\{[^}]*\} 1/.test(await storage.metrics()),
      60_000
    )
    const committed = await committedOffsets(sluice.groups.storage, sluice.topics.decisions)
    expect(committed.get(0)).toBe(1n)
    expect(storage.log()).toContain('cannot write to the dead-letter topic')

    await fix(sluice)
    await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions, 60_000)
    const records = await readAll(sluice.topics.decisionsDeadLetter)
    expect(records.map(({ value }) => value)).toEqual([poison])
    const rows = await sluice.database.query(`select decision_id from decisions`)
    expect(rows.map((row) => row['decision_id']).toSorted()).toEqual(
      [first?.decision_id, second?.decision_id].toSorted()
    )
    await storage.stop()
  },
  180_000
)
