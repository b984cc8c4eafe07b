/** Tests the ledger: audits by storage that survive a crash, and what each organization sees. */
import { randomUUID } from 'node:crypto'
import { describe, expect, jest, test } from '@jest/globals'
import {
  selectActiveOrganizations,
  takeLease,
  writeLedger
} from '../../../consumers/storage/ledger/ledger-table.ts'
import type { LedgerResult } from '../../../consumers/storage/ledger/ledger-table.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import { clientOf, createInstallation } from '../../support/installation.ts'
import type { Client, Installation } from '../../support/installation.ts'
import { readAll } from '../../support/kafka.ts'
import { waitUntil } from '../../support/wait-until.ts'

jest.setTimeout(240_000)

interface Ledger {
  readonly audited_at: string
  readonly window: { readonly from: string; readonly to: string }
  readonly exact: boolean
  readonly messages: number
  readonly stored: number
  readonly in_flight: number
  readonly missing: number
  readonly partitions: readonly { readonly partition: number; readonly stored: number }[]
  readonly missing_records: readonly object[]
}

async function readLedger(client: Client): Promise<Ledger | null> {
  const { status, body } = await client.get('/v1/ingestion/ledger')
  expect(status).toBe(200)
  return body['ledger'] as Ledger | null
}

/** Waits for an audit that began after this call and meets the condition. */
async function nextLedger(client: Client, isMet: (ledger: Ledger) => boolean): Promise<Ledger> {
  const now = Date.now()
  let last: Ledger | null = null
  await waitUntil('storage has audited the topic', async () => {
    last = await readLedger(client)
    return last !== null && Date.parse(last.window.to) > now && isMet(last)
  })
  if (last === null) throw new Error('there is no ledger')
  return last
}

const accepts = 150
const audits = { AUDIT_INTERVAL_SECONDS: '1' }

/** Sends decisions of several agents, one after the other. */
async function sendMany(client: Client, onSent: (count: number) => void): Promise<string[]> {
  const ids: string[] = []
  for (let sent = 0; sent < accepts; sent++) {
    ids.push(await client.accept({ agent_id: `agent ${sent % 9}`, input: { sent }, output: 'o' }))
    onSent(ids.length)
  }
  return ids
}

async function positionOf({ topics }: Installation, decisionId: string) {
  const records = await readAll(topics.decisions)
  const id = Buffer.from(decisionId)
  const found = records.find(({ value }) => value?.includes(id) === true)
  return { partition: found?.partition, offset: Number(found?.offset) }
}

describe('an installation', () => {
  test('misses nothing after kill -9, and reports a deleted row to its organization', async () => {
    const sluice = await createInstallation()
    const [tenant, other] = [await sluice.createTenant(), await sluice.createTenant()]
    const [gateway, killed] = await Promise.all([
      sluice.start('gateway'),
      sluice.start('storage', audits)
    ])
    const [client, neighbor] = [clientOf(gateway, tenant), clientOf(gateway, other)]
    await neighbor.accept({ input: {}, output: 'of another organization' })

    let killing = Promise.resolve()
    const ids = await sendMany(client, (count) => {
      if (count === accepts / 2) killing = killed.kill()
    })
    await killing
    await sluice.start('storage', audits)

    const whole = await nextLedger(client, ({ in_flight }) => in_flight === 0)
    expect(whole).toMatchObject({ messages: accepts, stored: accepts, missing: 0, exact: true })
    expect(whole.partitions.length).toBeGreaterThan(1)
    expect(whole.partitions.reduce((sum, { stored }) => sum + stored, 0)).toBe(accepts)
    // The other organization sees only its own decision.
    const theirs = await nextLedger(neighbor, ({ in_flight }) => in_flight === 0)
    expect(theirs).toMatchObject({ messages: 1, stored: 1, missing: 0, missing_records: [] })
    expect(theirs.partitions).toHaveLength(1)

    const decision_id = ids[70] ?? ''
    await sluice.database.query('delete from decisions where decision_id = $1', [decision_id])
    const torn = await nextLedger(client, ({ missing }) => missing > 0)
    expect(torn).toMatchObject({ messages: accepts, stored: accepts - 1, missing: 1 })
    expect(torn.missing_records).toEqual([
      { ...(await positionOf(sluice, decision_id)), decision_id, reason: 'row_gone' }
    ])
    expect(await nextLedger(neighbor, () => true)).toMatchObject({ messages: 1, missing: 0 })
  })

  test('has no ledger before the first audit, and none with audits turned off', async () => {
    const sluice = await createInstallation()
    const tenant = await sluice.createTenant()
    const [gateway] = await Promise.all([
      sluice.start('gateway'),
      sluice.start('storage', { AUDIT_INTERVAL_SECONDS: '0' })
    ])
    const client = clientOf(gateway, tenant)
    await client.accept({ input: {}, output: 'o' })
    expect(await readLedger(client)).toBeNull()
    const rows = await sluice.database.query('select from ledger_audits')
    expect(rows).toEqual([])
  })
})

async function openDatabase() {
  const database = await createTestDatabase()
  const postgres = createPostgres({
    ...{ url: database.url, applicationName: 'sluice-test' },
    ...{ connectionsMax: 2, statementTimeoutMs: 5000 }
  })
  onEnd(() => postgres.close())
  return { database, postgres }
}

test('the counts of all organizations are hidden from the reads of one', async () => {
  const { database, postgres } = await openDatabase()
  await database.query(
    "insert into ledger_audits (topic, next_at, stored) values ('agent-decisions', now(), 7)"
  )
  const reads = postgres.reading({ role: 'sluice_reader' })
  const shown = 'select topic, window_from from ledger_audits'
  expect(await reads.query(shown)).toEqual([{ topic: 'agent-decisions', window_from: null }])
  const all = reads.query('select stored from ledger_audits')
  await expect(all).rejects.toThrow('permission denied')
})

test('organizations that registered first are preferred if they have decisions', async () => {
  const { database, postgres } = await openDatabase()
  const [idle, oldest, older, newest, unregistered] = Array.from({ length: 5 }, () => randomUUID())
  for (const [age, organizationId] of [newest, older, oldest, idle].entries()) {
    await database.query(
      `insert into organizations (organization_id, name, created_at)
       values ($1, 'o', now() - make_interval(days => $2))`,
      [organizationId, age]
    )
  }
  const hour = new Date(Date.UTC(2026, 0, 31, 12))
  const before = new Date(hour.getTime() - 1)
  const stored = [oldest, older, newest, unregistered].map((id) => [id, hour] as const)
  for (const values of [...stored, [idle, before] as const]) {
    await database.query(
      `insert into decision_hours values ($1, $2, 'a', 'd', 1, 0, 0, 0, 0, 0, 0, 0, 0)`,
      values
    )
  }
  const active = async (max: number) => [...(await selectActiveOrganizations(postgres, hour, max))]
  expect(await active(2)).toEqual([oldest, older])
  expect(await active(9)).toEqual([oldest, older, newest])
})

describe('the lease', () => {
  const topic = 'agent-decisions'
  const counts = {
    ...{ stored: 1, duplicate: 0, conflict: 0, dead_lettered: 0, erased: 0, in_flight: 0 },
    missing: 0
  }
  const figures = { ...counts, messages_in_hours: 0, partitions: [], missing_records: [] }
  const [from, to] = [new Date(0), new Date(1)]
  const result: LedgerResult = {
    ...{ window_from: from, window_to: to, hours_from: from, hours_to: from },
    ...{ exact: true, every_organization: true, all: figures },
    organizations: [{ organization_id: randomUUID(), ...figures }]
  }

  test('belongs to one process at a time, and a late one writes nothing', async () => {
    const { database, postgres } = await openDatabase()
    const lease = (await takeLease(postgres, topic, 300)) ?? ''
    expect(lease).not.toBe('')
    expect(await takeLease(postgres, topic, 300)).toBeNull()
    const rows = () => database.query('select organization_id from ledger_organizations')

    await database.query(`update ledger_audits set next_at = now() - interval '1 second'`)
    const next = (await takeLease(postgres, topic, 300)) ?? ''
    expect(next).not.toBe('')
    expect(await writeLedger(postgres, { topic, lease }, result)).toBe(false)
    expect(await rows()).toEqual([])
    expect(await writeLedger(postgres, { topic, lease: next }, result)).toBe(true)
    expect(await rows()).toHaveLength(1)
    const empty = { ...result, organizations: [] }
    expect(await writeLedger(postgres, { topic, lease: next }, empty)).toBe(true)
    expect(await rows()).toEqual([])
    const [audit] = await database.query('select stored::integer, window_to from ledger_audits')
    expect(audit).toEqual({ stored: 1, window_to: to })
  })
})
