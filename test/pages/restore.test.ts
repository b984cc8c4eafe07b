/** Tests that a lost database is restored from a backup and the records in Kafka, while decisions
 * arrive.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { onEnd } from '../support/cleanup.ts'
import { findSumDifferences } from '../support/find-sum-differences.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Client, Installation, Tenant } from '../support/installation.ts'
import { waitUntilConsumed } from '../support/kafka.ts'
import { findPostgresPrograms, runPostgres } from '../support/postgres-programs.ts'
import { onServer } from '../support/create-database.ts'
import { services } from '../support/services.ts'

const isThere = (await findPostgresPrograms()) !== null
if (!isThere) process.stderr.write('Without it nothing is restored.\n')
const testIfThere = isThere ? test : test.skip
const timeoutMs = 8 * 60_000
const settleMs = 120_000
const folder = mkdtempSync(join(tmpdir(), 'sluice-restore-'))
afterAll(() => rmSync(folder, { recursive: true }))

let sluice: Installation
let tenant: Tenant
let client: Client
let storage: Application
let evaluation: Application
/** Session of each acknowledged decision, by decision id. */
const accepted = new Map<string, string>()

beforeAll(async () => {
  if (!isThere) return
  sluice = await createInstallation()
  tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  client = clientOf(await sluice.start('gateway'), tenant)
  storage = await sluice.start('storage')
  evaluation = await sluice.start('evaluation')
}, timeoutMs)

/** Sends decisions for several partitions until `count` more are acknowledged. */
async function more(count = 200): Promise<void> {
  const wanted = accepted.size + count
  await Promise.all([0, 1, 2, 3].map((lane) => sendUntil(wanted, lane)))
}

async function sendUntil(wanted: number, lane: number): Promise<void> {
  for (let turn = 0; accepted.size < wanted; turn += 1) {
    const session_id = `session ${lane}-${turn % 5}`
    const body = aDecisionBody({ agent_id: `agent ${lane}`, session_id })
    const { status, body: answer } = await client.ingest(tenant.api_key, body)
    if (status === 202) accepted.set(String(answer['decision_id']), session_id)
  }
}

async function stored(): Promise<void> {
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions, settleMs)
  await waitUntilConsumed(sluice.groups.storageOfEvaluations, sluice.topics.evaluations, settleMs)
}

async function settled(): Promise<void> {
  await waitUntilConsumed(sluice.groups.evaluation, sluice.topics.decisions, settleMs)
  await stored()
}

function erase(...target: readonly string[]): Promise<string> {
  const record = ['--execute', '--reason', 'request 17', '--by', 'Ana']
  return sluice.sluice('erase', '--organization', tenant.organization_id, ...target, ...record)
}

/**
 * Restores the backup into a database with another name and renames that database at the end, so
 * that no process sees a partial database.
 */
async function restore(backup: string): Promise<void> {
  const { databaseUrl } = services().addresses
  const url = new URL(sluice.database.url)
  const name = url.pathname.slice(1)
  url.pathname = `/${name}_restored`
  onEnd(() => onServer(databaseUrl, `drop database if exists "${name}_restored" with (force)`))
  await onServer(databaseUrl, `create database "${name}_restored" template template0`)
  await runPostgres('pg_restore', '--exit-on-error', '--jobs=2', `--dbname=${url.href}`, backup)
  await onServer(databaseUrl, `alter database "${name}_restored" rename to "${name}"`)
}

async function destroy(): Promise<void> {
  const name = new URL(sluice.database.url).pathname.slice(1)
  await onServer(services().addresses.databaseUrl, `drop database "${name}" with (force)`)
}

/** Returns the number of rows in the table for each decision id. */
async function storedOf(table: string): Promise<Map<string, number>> {
  const rows = await sluice.database.query<{ decision_id: string; n: number }>(
    `select decision_id, count(*)::integer as n from ${table}
      where organization_id = $1 group by 1`,
    [tenant.organization_id]
  )
  return new Map(rows.map(({ decision_id, n }) => [decision_id, n]))
}

testIfThere(
  'loses and duplicates no acknowledged decision, and keeps erased ones erased',
  async () => {
    await more()
    await settled()
    const early = [...accepted].filter(([, session]) => session === 'session 0-0')

    // Decisions arrive during the backup.
    const backup = join(folder, 'sluice.dump')
    await Promise.all([
      runPostgres('pg_dump', '--format=custom', `--file=${backup}`, sluice.database.url),
      more()
    ])
    await more()

    // These erasures happen after the backup, so the backup contains the erased decisions.
    await erase('--session', 'session 0-0')
    const [single = ''] = [...accepted].find(([, session]) => session === 'session 1-1') ?? []
    await erase('--decision', single)
    const list = join(folder, 'erasures.json')
    writeFileSync(list, await sluice.sluice('erase', '--list', '--json'))
    await more()

    // The gateway keeps accepting decisions without the database, with its cached keys.
    await Promise.all([destroy(), more()])
    await Promise.all([storage.stop(), evaluation.stop(), more()])
    await Promise.all([restore(backup), more()])
    await sluice.sluice('migrate')
    const brought = await storedOf('decisions')
    expect(early.filter(([id]) => brought.has(id)).length).toBeGreaterThan(0)
    await sluice.sluice('erase', '--repeat', list)
    await more()

    expect(await sluice.sluice('rewind')).toContain('no offsets were reset')
    expect(await sluice.sluice('rewind', '--execute')).toContain('The offsets were reset')
    expect(await sluice.sluice('rewind')).toContain('nothing to do')
    storage = await sluice.start('storage')
    await Promise.all([stored(), more()])
    evaluation = await sluice.start('evaluation')
    await more()
    await settled()

    const isErased = ([id, session]: [string, string]): boolean =>
      id === single || (session === 'session 0-0' && early.some(([each]) => each === id))
    const rows = await storedOf('decisions')
    expect([...accepted].filter(isErased).filter(([id]) => rows.has(id))).toEqual([])
    const lost = [...accepted].filter(([id]) => !rows.has(id))
    expect(lost.filter(([, session]) => session !== 'session 0-0').map(([id]) => id)).toEqual([
      single
    ])
    expect([...rows.values()].every((each) => each === 1)).toBe(true)
    expect(await findSumDifferences(sluice.database)).toEqual([])

    // Each decision that is not erased has one plan and the same number of runs.
    const [plans, runs] = [await storedOf('decision_plans'), await storedOf('evaluation_runs')]
    expect([...plans.keys()].toSorted()).toEqual([...rows.keys()].toSorted())
    expect([...runs.keys()].toSorted()).toEqual([...rows.keys()].toSorted())
    expect(new Set(runs.values()).size).toBe(1)
    const told = JSON.parse(await sluice.sluice('audit', '--json')) as Record<string, unknown>
    expect(told).toMatchObject({ missing: 0, in_flight: 0, dead_lettered: 0, conflict: 0 })
    expect(told['stored']).toBe(rows.size)
  },
  timeoutMs
)

testIfThere('reports a missing list of erasures', async () => {
  const path = join(folder, `${randomUUID()}.json`)
  await expect(sluice.sluice('erase', '--repeat', path)).rejects.toThrow('no such file')
})
