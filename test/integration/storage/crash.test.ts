/** Storage killed between its database commit and its offset commit. */
import { expect, test } from '@jest/globals'
import { aDecisionBody } from '../../support/builders.ts'
import { clientOf, createInstallation } from '../../support/installation.ts'
import { committedOffsets, waitUntilConsumed } from '../../support/kafka.ts'
import { startKafkaProxy } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'

const decisions = 25

test('loses and doubles nothing when killed after the rows and before the offsets', async () => {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant()
  const gateway = await sluice.start('gateway')
  const client = clientOf(gateway, tenant)
  const proxy = await startKafkaProxy()
  const storage = await sluice.start('storage', {
    KAFKA_BROKERS: proxy.brokers,
    CONSUMER_SESSION_TIMEOUT_MS: '6000'
  })

  proxy.holdOffsetCommits()
  const bodies = Array.from({ length: decisions }, () => aDecisionBody({ agent_id: 'one-agent' }))
  const ids = await Promise.all(bodies.map((body) => client.accept(body)))
  // The commit is asked for only after the transaction; it never arrives, and then comes the kill.
  await waitUntil('an offset commit is held', () => proxy.heldOffsetCommits() > 0)
  await storage.kill()
  const [before] = await sluice.database.query(`select count(*)::integer as n from decisions`)
  expect(before?.['n']).toBeGreaterThan(0)
  expect([...(await committedOffsets(sluice.groups.storage, sluice.topics.decisions))]).toEqual([])

  await proxy.heal()
  const second = await sluice.start('storage')
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  const rows = await sluice.database.query(`select decision_id from decisions order by decision_id`)
  expect(rows.map((row) => row['decision_id'])).toEqual(ids.toSorted())
  expect(await second.metrics()).toMatch(
    /sluice_consumed_total\{[^}]*outcome="duplicate"[^}]*\} [1-9]/
  )
  await proxy.close()
})
