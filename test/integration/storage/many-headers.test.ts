/** Tests that storage dead-letters an invalid record with tens of thousands of headers, written by
 * a producer other than the gateway.
 */
import { expect, test } from '@jest/globals'
import { createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../../../schemas/index.ts'
import { aDecision } from '../../support/builders.ts'
import { createInstallation } from '../../support/installation.ts'
import { endOffsets, produce, waitUntilConsumed } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'

test('dead-letters it like any other, and stores the next record', async () => {
  const sluice = await createInstallation()
  const { decisions, decisionsDeadLetter } = sluice.topics
  const registry = createRegistry(services().addresses.schemaRegistryUrl)
  const schemaId = await registry.idOf(subjectOf(decisions), decisionContract.text)
  const good = aDecision()
  const value = createEncode<Decision>(decisionContract.schema)(good, schemaId ?? 0)
  const names = Array.from({ length: 30_000 }, (_, index) => `h${index}`)
  const headers = Object.fromEntries(names.map((name) => [name, 'v']))
  await produce(decisions, [
    { key: 'agent', value: Buffer.from('no Avro'), headers, partition: 0 },
    { key: 'agent', value, partition: 0 }
  ])
  const storage = await sluice.start('storage')
  await waitUntilConsumed(sluice.groups.storage, decisions)
  const rows = await sluice.database.query('select decision_id from decisions')
  expect(rows).toEqual([{ decision_id: good.decision_id }])
  const ends = await endOffsets(decisionsDeadLetter)
  expect([...ends.values()].reduce((sum, end) => sum + end, 0n)).toBe(1n)
  await storage.stop()
})
