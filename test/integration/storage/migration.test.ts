/** Decisions that were stored before there were sums by agent: none is lost, all can be moved. */
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { createStoreDecisions } from '../../../consumers/storage/store-decisions.ts'
import { makePartitions } from '../../../consumers/storage/maintenance/partitions.ts'
import { migrate } from '../../../platform/postgres/migrations.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../../platform/postgres/postgres.ts'
import { migrationsFolder } from '../../../schemas/index.ts'
import { aDecision } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createDatabase, dropDatabase } from '../../support/create-database.ts'
import { services } from '../../support/services.ts'
import { RecordingLogger } from '../../unit/platform/recording-logger.ts'

const dayMs = 86_400_000
const before = '0013'

/** As an installation was before these tables. */
async function anOldDatabase(): Promise<{ url: string; postgres: PostgresPool }> {
  const { databaseUrl } = services().addresses
  const name = `sluice_${randomUUID().replaceAll('-', '')}`
  const url = await createDatabase(databaseUrl, name)
  onEnd(() => dropDatabase(databaseUrl, name))
  const folder = await mkdtemp(join(tmpdir(), 'sluice-migrations-'))
  onEnd(() => rm(folder, { recursive: true }))
  const names = (await readdir(migrationsFolder)).filter((each) => each < before)
  await Promise.all(names.map((each) => cp(join(migrationsFolder, each), join(folder, each))))
  await migrate({ databaseUrl: url, folder })
  const limits = { connectionsMax: 2, statementTimeoutMs: 20_000 }
  const postgres = createPostgres({ url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
  return { url, postgres }
}

async function insertOld(postgres: PostgresPool, receivedAt: number, agentId: string | null) {
  const id = randomUUID()
  await postgres.query(
    `insert into decisions (organization_id, decision_id, received_at, input, output, agent_id,
                            sdk_version) values ($1, $1, $2, '1', '"two"', $3, 'js/1')`,
    [id, new Date(receivedAt), agentId]
  )
  return id
}

async function placesOf(postgres: PostgresPool) {
  const rows = await postgres.query<{ id: string; place: string; output: string; model: unknown }>(
    `select decision_id as id, tableoid::regclass::text as place, output, sdk_version, model, labels
       from decisions`
  )
  return new Map(rows.map(({ id, ...row }) => [id, row]))
}

test('rows of before keep their columns, wherever they lie and are moved to', async () => {
  const { url, postgres } = await anOldDatabase()
  const logger = new RecordingLogger()
  await makePartitions({ postgres, logger })
  const now = Date.now()
  const [inDay, stray] = [
    await insertOld(postgres, now, 'a'),
    await insertOld(postgres, now - 90 * dayMs, null)
  ]
  await migrate({ databaseUrl: url, folder: migrationsFolder })
  const agents = await postgres.query(`select organization_id as id, agent_id from agents`)
  const known = new Map(agents.map((row) => [row['id'], row['agent_id']]))
  expect(known).toEqual(
    new Map([
      [inDay, 'a'],
      [stray, '']
    ])
  )

  const decision = aDecision({ received_at: now - 80 * dayMs, metadata: '{"model":"m","n":1}' })
  const place = { groupId: 'g', topic: 't', partition: 0, nextOffset: 1n, epoch: 0 }
  await createStoreDecisions({ postgres })([decision], place)
  await makePartitions({ postgres, logger })
  const places = await placesOf(postgres)
  expect([...places.values()].map((row) => row.place)).not.toContain('decisions_default')
  const old = { output: '"two"', sdk_version: 'js/1', model: null, labels: null }
  expect(places.get(inDay)).toMatchObject(old)
  expect(places.get(stray)).toMatchObject(old)
  expect(places.get(decision.decision_id)).toMatchObject({
    ...{ output: JSON.stringify(decision.output), sdk_version: null },
    ...{ model: 'm', labels: ['model=m', 'n=1'] }
  })
})
