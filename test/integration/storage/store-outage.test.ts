/** Tests that the storage consumer survives a Postgres outage that exceeds its session timeout. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../../../schemas/index.ts'
import type { Application } from '../../support/application.ts'
import { aDecision } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { committedOffsets, groupMembers, produce } from '../../support/kafka.ts'
import { readAll, waitUntilConsumed } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'

const encode = createEncode<Decision>(decisionContract.schema)
/** The minimum session timeout that the broker accepts. */
const sessionTimeoutMs = 6000

/** Prevents storage from writing. Returns a function that ends the outage. */
type Outage = (sluice: Installation) => Promise<() => Promise<unknown>>

const lockPartition: Outage = async ({ database }) => {
  const client = new pg.Client(database.url)
  await client.connect()
  onEnd(() => client.end())
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  await client.query(`begin; lock table decisions_${day} in access exclusive mode`)
  return () => client.query('commit')
}

const makeReadOnly: Outage = async ({ database }) => {
  const name = new URL(database.url).pathname.slice(1)
  await database.query(`alter database "${name}" set default_transaction_read_only = on`)
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
  )
  return () =>
    database.query(`set default_transaction_read_only = off;
                               alter database "${name}" reset default_transaction_read_only;
                               select pg_terminate_backend(pid) from pg_stat_activity
                                where datname = current_database() and pid <> pg_backend_pid()`)
}

const removePartitions: Outage = async ({ database }) => {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  await database.query(`alter table decisions detach partition decisions_${day};
                        alter table decisions detach partition decisions_default`)
  const [from, to] = [0, 1].map((ahead) => new Date(Date.now() + ahead * 86_400_000))
  const [begin, end] = [from, to].map((time) => `${time?.toISOString().slice(0, 10)} 00:00:00+00`)
  return () =>
    database.query(`alter table decisions attach partition decisions_default default;
                    alter table decisions attach partition decisions_${day}
                      for values from ('${begin}') to ('${end}')`)
}

async function send(sluice: Installation, count: number): Promise<string[]> {
  const registry = createRegistry(services().addresses.schemaRegistryUrl)
  const subject = subjectOf(sluice.topics.decisions)
  const schemaId = (await registry.idOf(subject, decisionContract.text)) ?? 0
  const organization_id = randomUUID()
  const decisions = Array.from({ length: count }, () =>
    aDecision({ organization_id, received_at: Date.now() })
  )
  await produce(
    sluice.topics.decisions,
    decisions.map((decision) => ({ key: 'a', value: encode(decision, schemaId), partition: 0 }))
  )
  return decisions.map(({ decision_id }) => decision_id)
}

async function retries(storage: Application): Promise<number> {
  const found = /sluice_consumer_retries_total\{[^}]*\} (\d+)/.exec(await storage.metrics())
  return Number(found?.[1] ?? 0)
}

test.each<[string, Outage]>([
  ['a lock on the partition of today', lockPartition],
  ['a read-only database', makeReadOnly],
  ['missing partitions', removePartitions]
])(
  'survives %s without a rebalance or a dead-letter record',
  async (what, cause) => {
    const sluice = await createInstallation()
    const storage = await sluice.start('storage', {
      CONSUMER_SESSION_TIMEOUT_MS: String(sessionTimeoutMs)
    })
    const members = await groupMembers(sluice.groups.storage)
    const fix = await cause(sluice)
    const ids = await send(sluice, 20)
    const heldSince = performance.now()
    // Waits longer than the session timeout, after which a member without heartbeats loses its
    // partitions.
    await waitUntil(
      'longer than a session has passed',
      () => performance.now() - heldSince > sessionTimeoutMs + 2000
    )
    if (cause !== lockPartition) expect([what, await retries(storage)]).not.toEqual([what, 0])
    const committed = await committedOffsets(sluice.groups.storage, sluice.topics.decisions)
    expect(committed.get(0)).toBeUndefined()
    await fix()
    await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions, 60_000)
    const rows = await sluice.database.query(`select decision_id from decisions`)
    expect(rows.map((row) => row['decision_id']).toSorted()).toEqual(ids.toSorted())
    expect(await readAll(sluice.topics.decisionsDeadLetter)).toEqual([])
    expect(await groupMembers(sluice.groups.storage)).toEqual(members)
    await storage.stop()
  },
  120_000
)
