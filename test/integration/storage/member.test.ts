/** Tests the storage group as a process: memberships, batches, and recreated topics. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { Application } from '../../support/application.ts'
import { aDecision } from '../../support/builders.ts'
import { committedOffsets, deleteTopic, endOffsets } from '../../support/kafka.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { findSumDifferences } from '../../support/find-sum-differences.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
let storage: Application

beforeAll(async () => {
  scene = await createScene()
  storage = await scene.sluice.start('storage')
})

interface Recorded extends Record<string, unknown> {
  readonly next_offset: number
  readonly epoch: number
}

async function recorded(): Promise<Recorded | undefined> {
  const { database, groups, topics } = scene.sluice
  const [row] = await database.query<Recorded>(
    `select next_offset::integer, epoch::integer from consumed_offsets
      where group_id = $1 and topic = $2 and partition = 0`,
    [groups.storage, topics.decisions]
  )
  return row
}

test('stores records that were fetched together in transactions of bounded size', async () => {
  const organization_id = randomUUID()
  const count = 4500
  const decisions = Array.from({ length: count }, () => aDecision({ organization_id, output: '' }))
  await scene.sendDecisions(...decisions)
  await scene.settled()
  const rows = await scene.sluice.database.query<{ n: number }>(
    `select count(*)::integer as n from decisions where organization_id = $1 group by stored_at`,
    [organization_id]
  )
  const sizes = rows.map(({ n }) => n)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(count)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2000)
  expect(await findSumDifferences(scene.sluice.database)).toEqual([])
  const ends = await endOffsets(scene.sluice.topics.decisions)
  expect((await recorded())?.next_offset).toBe(Number(ends.get(0)))
})

test('writes nothing when fenced, joins again, and continues', async () => {
  const { database, groups, topics } = scene.sluice
  // Simulates that three more members have joined, and that one of them owns the partition now.
  await database.query(
    `update consumed_offsets set epoch = (select last_value + 3 from consumer_epochs)
      where group_id = $1 and topic = $2`,
    [groups.storage, topics.decisions]
  )
  const before = await recorded()
  const decision = aDecision()
  await scene.sendDecisions(decision)
  await scene.settled()
  expect(await scene.storedIds(decision.organization_id)).toEqual([decision.decision_id])
  expect((await recorded())?.epoch).toBeGreaterThanOrEqual(before?.epoch ?? 0)
  expect(storage.log()).toContain('a later member of the group has partition')
  expect(await storage.metrics()).not.toMatch(/outcome="dead_letter"[^}]*\} [1-9]/)
})

test('commits nothing while fenced', async () => {
  const { database, groups, topics } = scene.sluice
  const committed = await committedOffsets(groups.storage, topics.decisions)
  await database.query(
    `update consumed_offsets set epoch = 1000000 where group_id = $1 and topic = $2`,
    [groups.storage, topics.decisions]
  )
  const refusals = (): number =>
    storage.log().split('a later member of the group has partition').length
  const refusedBefore = refusals()
  const decision = aDecision()
  await scene.sendDecisions(decision)
  await waitUntil('it was fenced twice', () => refusals() >= refusedBefore + 2)
  expect(await scene.storedIds(decision.organization_id)).toEqual([])
  expect(await committedOffsets(groups.storage, topics.decisions)).toEqual(committed)
  await database.query(`update consumed_offsets set epoch = 0 where group_id = $1`, [
    groups.storage
  ])
  await scene.settled()
  expect(await scene.storedIds(decision.organization_id)).toEqual([decision.decision_id])
})

test('stores a recreated topic from its beginning', async () => {
  const { topics } = scene.sluice
  await storage.stop()
  await deleteTopic(topics.decisions)
  await scene.sluice.sluice('topics', 'apply')
  const decisions = [aDecision(), aDecision()]
  await scene.sendDecisions(...decisions)
  await scene.sluice.start('storage')
  // Reads the offset recorded in Postgres, because Kafka keeps the committed offsets of a deleted
  // topic for some time.
  await waitUntil('both are consumed', async () => (await recorded())?.next_offset === 2)
  for (const { organization_id, decision_id } of decisions) {
    expect(await scene.storedIds(organization_id)).toEqual([decision_id])
  }
})
