/** Tests a migration of a later release: stored decisions keep their values and can be moved to
 * other partitions.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createStoreDecisions } from '../../../consumers/storage/store-decisions.ts'
import { makePartitions } from '../../../consumers/storage/maintenance/partitions.ts'
import { applyMigrations } from '../../../platform/postgres/migrations.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../../platform/postgres/postgres.ts'
import { aDecision } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createMigrationsFolder, ownMigrations } from '../../support/migrations-folder.ts'
import { RecordingLogger } from '../../unit/platform/recording-logger.ts'

const dayMs = 86_400_000

/** Adds columns, as a later release might do. */
const nextMigration = `alter table decisions
  add column region text, add column copies integer not null default 1;`

async function insertDecision(postgres: PostgresPool, receivedAt: number) {
  const id = randomUUID()
  await postgres.query(
    `insert into decisions (organization_id, decision_id, received_at, input, output, sdk_version,
                            is_error) values ($1, $1, $2, '1', '"two"', 'js/1', true)`,
    [id, new Date(receivedAt)]
  )
  return id
}

async function readDecisions(postgres: PostgresPool) {
  const rows = await postgres.query<{ id: string; place: string }>(
    `select decision_id as id, tableoid::regclass::text as place, output, sdk_version, is_error,
            region, copies from decisions`
  )
  return new Map(rows.map(({ id, ...row }) => [id, row]))
}

test('keeps the columns of decisions in any partition and after a move', async () => {
  const { url } = await createTestDatabase()
  const limits = { connectionsMax: 2, statementTimeoutMs: 20_000 }
  const postgres = createPostgres({ url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
  const logger = new RecordingLogger()
  await makePartitions({ postgres, logger })
  const now = Date.now()
  const old = [
    await insertDecision(postgres, now),
    await insertDecision(postgres, now - 90 * dayMs)
  ]

  const folder = await createMigrationsFolder({
    ...(await ownMigrations()),
    '9999-next.sql': nextMigration
  })
  expect(await applyMigrations({ databaseUrl: url, folder })).toEqual(['9999-next'])

  const decision = aDecision({ received_at: now - 80 * dayMs, sdk_version: null })
  const place = { groupId: 'g', topic: 't', partition: 0, nextOffset: 1n, epoch: 0 }
  await createStoreDecisions({ postgres })([decision], place)
  await makePartitions({ postgres, logger })
  const decisions = await readDecisions(postgres)
  expect([...decisions.values()].map(({ place }) => place)).not.toContain('decisions_default')
  const added = { region: null, copies: 1 }
  for (const id of old) {
    const kept = { output: '"two"', sdk_version: 'js/1', is_error: true }
    expect(decisions.get(id)).toMatchObject({ ...kept, ...added })
  }
  const output = JSON.stringify(decision.output)
  expect(decisions.get(decision.decision_id)).toMatchObject({ output, sdk_version: null, ...added })
})
