/** Tests daily partitions on a real Postgres: creating them ahead, filling them from the default
 * partition, and dropping them.
 */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { makePartitions } from '../../../consumers/storage/maintenance/partitions.ts'
import { applyRetention, replayDays } from '../../../consumers/storage/maintenance/retention.ts'
import { startMaintenance } from '../../../consumers/storage/maintenance/maintenance.ts'
import { createPostgres, isTransientPostgresError } from '../../../platform/postgres/postgres.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { RecordingLogger } from '../../unit/platform/recording-logger.ts'
import { RecordingMetrics } from '../../unit/consumers/recording-metrics.ts'

const dayMs = 86_400_000

type Fields = Readonly<Record<string, unknown>>

let database: TestDatabase
let postgres: Postgres
let logger: RecordingLogger

function connect(connectionsMax = 3): Postgres {
  const limits = { connectionsMax, statementTimeoutMs: 20_000 }
  return createPostgres({ url: database.url, applicationName: 'test', ...limits })
}

beforeEach(async () => {
  database = await createTestDatabase()
  postgres = connect()
  logger = new RecordingLogger()
})

afterEach(() => postgres.close())

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * dayMs)
}

function nameOf(time: Date): string {
  return `decisions_${time.toISOString().slice(0, 10).replaceAll('-', '')}`
}

async function insert(receivedAt: Date): Promise<string> {
  const id = randomUUID()
  await database.query(
    `insert into decisions (organization_id, decision_id, received_at, input, output)
     values ($1, $1, $2, '1', '""')`,
    [id, receivedAt]
  )
  await database.query(
    `insert into decision_ids (organization_id, decision_id, received_at, fingerprint)
     values ($1, $1, $2, '')`,
    [id, receivedAt]
  )
  return id
}

/**
 * Inserts a row in the same way as storage. If its day is moved out of the default partition in the
 * meantime, Postgres rejects the row, and the next attempt inserts it into the new partition.
 */
async function insertWithRetries(receivedAt: Date): Promise<string> {
  try {
    return await insert(receivedAt)
  } catch (error) {
    if (!isTransientPostgresError(error)) throw error
    return await insertWithRetries(receivedAt)
  }
}

/** Returns the partition of each decision, by decision ID. */
async function places(): Promise<Record<string, string>> {
  const rows = await database.query<{ id: string; place: string }>(
    `select decision_id as id, tableoid::regclass::text as place from decisions`
  )
  return Object.fromEntries(rows.map(({ id, place }) => [id, place]))
}

async function partitions(table = 'decisions'): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = $1::regclass order by name`,
    [table]
  )
  return rows.map(({ name }) => name)
}

async function idsIn(table: string): Promise<string[]> {
  const rows = await database.query<{ id: string }>(`select decision_id as id from ${table}`)
  return rows.map(({ id }) => id).toSorted()
}

describe('creation', () => {
  test('creates partitions from yesterday to a week ahead once, each like its parent', async () => {
    await makePartitions({ postgres, logger })
    const names = Array.from({ length: 9 }, (_, index) => nameOf(daysAgo(1 - index)))
    expect(await partitions()).toEqual([...names, 'decisions_default'].toSorted())
    const ofEvaluations = [...names, 'decisions_default'].map((name) =>
      name.replace('decisions', 'evaluations')
    )
    expect(await partitions('evaluations')).toEqual(ofEvaluations.toSorted())
    expect(logger.entries).toHaveLength(2 * 9)
    const invalid = await database.query(`select from pg_index where not indisvalid`)
    expect(invalid).toEqual([])
    const unattached = await database.query(
      `select from pg_index join pg_class on pg_class.oid = indexrelid
        where relname ~ '^(decisions|evaluations)_[0-9]{8}' and not relispartition`
    )
    expect(unattached).toEqual([])
    await makePartitions({ postgres, logger })
    expect(logger.entries).toHaveLength(2 * 9)
  })

  test('moves rows of any day out of the default partition', async () => {
    const times = [daysAgo(0), daysAgo(400), new Date('2024-02-29T23:59:59.999Z'), new Date(0)]
    const ids = await Promise.all(times.map(insert))
    expect(new Set(Object.values(await places()))).toEqual(new Set(['decisions_default']))
    await makePartitions({ postgres, logger })
    const wanted = ids.map((id, index) => [id, nameOf(times[index] ?? new Date())])
    expect(await places()).toEqual(Object.fromEntries(wanted))
    const moved = logger.entries.filter(({ message }) => message.startsWith('moved'))
    expect(moved.map(({ fields }) => (fields as Fields)['rows'])).toEqual([1, 1, 1, 1])
  })

  test('creates each day once with several instances, without deadlocks', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, (_, day) => insert(daysAgo(day * 30))))
    const instances = Array.from({ length: 4 }, () => connect(1))
    await Promise.all(instances.map((each) => makePartitions({ postgres: each, logger })))
    // The next round handles the days that another instance had locked.
    await makePartitions({ postgres, logger })
    await Promise.all(instances.map((each) => each.close()))
    expect(Object.keys(await places()).toSorted()).toEqual(ids.toSorted())
    expect(Object.values(await places())).not.toContain('decisions_default')
    expect(logger.entries).toHaveLength(2 * 9 + 11)
  })

  test('stores rows that arrive during a move, once', async () => {
    const ids: string[] = []
    let isOver = false
    const writing = (async () => {
      while (!isOver) ids.push(await insertWithRetries(daysAgo(ids.length % 20)))
    })()
    for (let round = 0; round < 5; round++) {
      await makePartitions({ postgres, logger }).catch(() => {})
    }
    isOver = true
    await writing
    await makePartitions({ postgres, logger })
    expect(Object.keys(await places()).toSorted()).toEqual(ids.toSorted())
    expect(Object.values(await places())).not.toContain('decisions_default')
  })

  test('shows the moved rows to a reader that waited for the end of the move', async () => {
    const day = '2024-02-29'
    const id = await insert(new Date(day))
    const reading = await postgres.transaction(async (transaction) => {
      await transaction.query(`select ensure_day_partition('decisions', $1::date)`, [day])
      const ids = idsIn('decisions')
      await waitUntil('the reader waits for a lock', async () => {
        const waiting = await transaction.query(`select from pg_locks where not granted`)
        return waiting.length > 0
      })
      return { ids }
    })
    expect(await reading.ids).toEqual([id])
  })

  test('gives up if a lock is held, and creates the partition later', async () => {
    const release = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = postgres.transaction(async (transaction) => {
      await transaction.query('lock table decisions_default in row share mode')
      locked.resolve()
      await release.promise
    })
    await locked.promise
    await insert(daysAgo(0))
    const making = makePartitions({ postgres, logger })
    await expect(making).rejects.toMatchObject({ code: '55P03' })
    expect(await partitions()).toEqual(['decisions_default'])
    release.resolve()
    await holding
    await makePartitions({ postgres, logger })
    expect(await partitions()).toHaveLength(10)
  }, 30_000)
})

describe('retention', () => {
  async function retain(retentionDays: number | null): Promise<void> {
    await applyRetention({ postgres, logger, retentionDays })
  }

  test('keeps everything without a setting', async () => {
    const id = await insert(daysAgo(9000))
    await makePartitions({ postgres, logger })
    await retain(null)
    expect(Object.keys(await places())).toEqual([id])
  })

  test('drops whole days, and keeps identities as long as a replay is possible', async () => {
    const ages = [0, 9, 10, 11, 10 + replayDays, 11 + replayDays]
    const ids = await Promise.all(ages.map((age) => insert(daysAgo(age))))
    await makePartitions({ postgres, logger })
    await retain(10)
    expect(await idsIn('decisions')).toEqual(ids.slice(0, 3).toSorted())
    expect(await idsIn('decision_ids')).toEqual(ids.slice(0, 5).toSorted())
    expect(await partitions()).not.toContain(nameOf(daysAgo(11)))
    const dropped = logger.entries.filter(({ message }) => message.startsWith('dropped'))
    expect(dropped).toHaveLength(3)
  })

  const sums = [
    ...['decision_hours', 'decision_facet_hours', 'outcome_hours'],
    ...['score_hours', 'agents']
  ]

  /**
   * Completes each insert statement with 20 source rows that are 1 to 20 days old. A statement can
   * use their time as `t` and a random ID as `o`.
   */
  async function insertAged(...rows: readonly string[]): Promise<void> {
    for (const row of rows) {
      await database.query(
        `insert into ${row} from (select gen_random_uuid() as o, now() - age * interval '1 day' as t
                                    from generate_series(1, 20) age) as aged`
      )
    }
  }

  test('deletes old rows of evaluations and sums in chunks', async () => {
    await database.query(
      `insert into later_runs (organization_id, decision_id, run_id, rule, evaluator,
         evaluator_kind, evaluator_version, generation, status, attempts, received_at,
         evaluated_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'r', 'e', 'k', 1, 0, 's', 1,
              now(), now() - age * interval '1 day' from generate_series(1, 20) age,
              generate_series(1, 600)`
    )
    await database.query(
      `insert into later_scores (organization_id, decision_id, run_id, score_id, name, data_type,
                           source_kind, evaluator, evaluator_kind, evaluator_version,
                           received_at, evaluated_at)
       select organization_id, decision_id, run_id, gen_random_uuid(), 'n', 'boolean', 'evaluator',
              evaluator, evaluator_kind, evaluator_version, received_at, evaluated_at
         from later_runs`
    )
    await database.query(
      `insert into decision_hours
       select gen_random_uuid(), date_trunc('hour', now() - age * interval '1 day'), '', '',
              1, 0, 0, 0, 0, 0, 0, 0, 0 from generate_series(1, 20) age`
    )
    await insertAged(
      `decision_facet_hours
       select o, date_trunc('hour', t), '', 'model', 'm', 1, 0, 0, 0, 0, 0, 0, 0, 0`,
      `agents select o, '', t, t`,
      `evaluations select o, o, t, null, null, null, 'evaluated', null, 'pass', '{}', '[]'`,
      `outcome_hours select o, date_trunc('hour', t), '', '', 'evaluated', 'pass', 1`,
      `score_hours select o, date_trunc('hour', t), '', '', 'n', 'api', '', 0, 1, 0, 0, 0, 0, 0`
    )
    await retain(10)
    for (const [table, rows] of Object.entries({
      evaluations: 10,
      later_runs: 6000,
      later_scores: 6000,
      ...Object.fromEntries(sums.map((sum) => [sum, 10]))
    })) {
      const [row] = await database.query(`select count(*)::integer as n from ${table}`)
      expect([table, row?.['n']]).toEqual([table, rows])
    }
    const told = logger.entries.map(({ fields }) => [
      (fields as Fields)['table'],
      (fields as Fields)['rows']
    ])
    expect(told).toEqual([
      ['evaluations_default', 10],
      ['later_runs', 6000],
      ['later_scores', 6000],
      ...sums.map((sum) => [sum, 10])
    ])
  })

  test('keeps up with any number of rows', async () => {
    await database.query(
      `insert into later_scores (organization_id, decision_id, run_id, score_id, name, data_type,
                           source_kind, evaluator, evaluator_kind, evaluator_version,
                           received_at, evaluated_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'n',
              'boolean', 'evaluator', 'e', 'k', 1, now(), now() - interval '20 days'
         from generate_series(1, 220000)`
    )
    let clock = 0
    const now = (): number => (clock += 1000)
    const count = async () => {
      const [row] = await database.query('select count(*)::integer as n from later_scores')
      return Number(row?.['n'])
    }
    // The clock advances one second per chunk, so the limit of 20 seconds per table allows 19
    // chunks. The result is true because rows are left.
    expect(await applyRetention({ postgres, logger, retentionDays: 10, now })).toBe(true)
    expect(await count()).toBe(220_000 - 19 * 5000)
    expect(await applyRetention({ postgres, logger, retentionDays: 10 })).toBe(false)
    expect(await count()).toBe(0)
  }, 60_000)

  test('deletes rule sets that were replaced before any decision that is kept', async () => {
    const days = [40, 30, 12, 9, 0]
    const values = days.map(
      (age, index) => `($1, ${index + 1}, '{}', $2, now() - '${age} d'::interval)`
    )
    await database.query(
      `insert into rule_sets (organization_id, version, content, created_by, created_at)
       values ${values.join(', ')}`,
      [randomUUID(), 'user']
    )
    await retain(10)
    const left = await database.query('select version from rule_sets order by version')
    // The third version was current until the fourth was created, 9 days ago.
    expect(left).toEqual([{ version: 3 }, { version: 4 }, { version: 5 }])
    expect(logger.entries.map(({ fields }) => fields)).toEqual([{ ruleSets: 2 }])
  })

  test('deletes and logs rows that arrive after their day was dropped', async () => {
    const id = await insert(daysAgo(30))
    expect(await places()).toEqual({ [id]: 'decisions_default' })
    const metrics = new RecordingMetrics()
    const stop = await startMaintenance({ postgres, logger, metrics, retentionDays: 10 })
    await stop()
    expect(await places()).toEqual({})
    expect(await idsIn('decision_ids')).toEqual([id])
    expect(await partitions()).not.toContain(nameOf(daysAgo(30)))
    const deleted = logger.entries.filter(({ message }) => message.startsWith('deleted'))
    expect(deleted).toMatchObject([{ fields: { table: 'decisions_default', rows: 1 } }])
    expect(metrics.levelOf('sluice_storage_missing_partitions')).toBe(0)
  })

  test('drops each day once with several instances', async () => {
    await Promise.all(Array.from({ length: 6 }, (_, day) => insert(daysAgo(20 + day))))
    await makePartitions({ postgres, logger })
    const instances = Array.from({ length: 3 }, () => connect(1))
    await Promise.all(
      instances.map((each) => applyRetention({ postgres: each, logger, retentionDays: 5 }))
    )
    await retain(5)
    await Promise.all(instances.map((each) => each.close()))
    expect(await places()).toEqual({})
    expect(await partitions()).toHaveLength(10)
  })
})
