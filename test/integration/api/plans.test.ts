/** Tests the query plans of API reads: reads use indexes and touch only a few daily partitions.
 *
 * Postgres prefers sequential scans of the small test tables. The test turns `enable_seqscan` off,
 * so that a sequential scan appears only if no index can replace it.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { isIdWithoutTime } from '../../support/id-without-time.ts'
import type { PlanPart } from '../../support/id-without-time.ts'
import { createScene } from './scene.ts'
import type { Scene, Statement } from './scene.ts'

let scene: Scene
let postgres: PostgresPool
const days = 40
const decisionId = randomUUID()
/** Tables that grow with the number of decisions. No read may scan one of them completely. */
const growing = new RegExp(
  '^((decisions|evaluations)(_default|_\\d{8})|decision_ids_\\d|later_scores|later_runs|' +
    'evaluation_plans|decision_hours|decision_facet_hours|outcome_hours|score_hours)$'
)

beforeAll(async () => {
  scene = await createScene()
  postgres = createPostgres({
    url: scene.database.url,
    applicationName: 'sluice-test',
    connectionsMax: 1,
    statementTimeoutMs: 30_000
  })
  onEnd(() => postgres.close())
  for (const table of ['decisions', 'evaluations']) {
    await scene.database.query(
      `select ensure_day_partition($1, current_date - ago) from generate_series(0, $2::int) as ago`,
      [table, days]
    )
  }
  for (const organizationId of [scene.organizationId, randomUUID()]) await fill(organizationId)
  const [first] = await scene.database.query<{ decision_id: string }>(
    `select decision_id from decisions
      where organization_id = $1 and received_at < now() - $2::interval`,
    [scene.organizationId, '3 days']
  )
  await scene.database.query(
    'update decision_ids set decision_id = $1 where organization_id = $2 and decision_id = $3',
    [decisionId, scene.organizationId, first?.decision_id]
  )
  await scene.database.query(
    'update decisions set decision_id = $1 where organization_id = $2 and decision_id = $3',
    [decisionId, scene.organizationId, first?.decision_id]
  )
  await scene.database.query('analyze')
})

/** Stores a hundred decisions a day up to today, with all their related data. */
async function fill(organizationId: string): Promise<void> {
  const statements = [
    `insert into decisions (organization_id, decision_id, received_at, input, output, agent_id,
       session_id, domain, metadata, labels, model, trace_id, parent_decision_id, latency_ms,
       is_error)
     select $1, gen_random_uuid(), now() - (n % ${days}) * interval '1 day' - n * interval '1 ms',
            '{"a":1}', '"text"', 'agent-' || n % 7, 'session-' || n % 50, 'domain-' || n % 3,
            '{"tenant":"t"}', array['tenant=t' || n % 5], 'm' || n % 2,
            'trace-' || n % 400, gen_random_uuid(), n, n % 9 = 0
       from generate_series(1, ${days * 100}) n`,
    `insert into decision_ids select organization_id, decision_id, received_at, '\\x00'
       from decisions where organization_id = $1`,
    `insert into evaluations (organization_id, decision_id, received_at, agent_id, session_id,
       domain, status, verdict, scores, counted)
     select organization_id, decision_id, received_at, agent_id, session_id, domain, 'evaluated',
            case when latency_ms::int % 10 = 0 then 'fail' else 'pass' end,
            '{"tone": {"value": 0.5, "label": null, "passed": true}}', '{}'
       from decisions where organization_id = $1`,
    `insert into decision_hours (organization_id, hour, agent_id, domain, decisions, input_tokens,
       output_tokens, input_tokens_known, output_tokens_known, errors, errors_known, latency_ms,
       latency_known)
     select organization_id, date_trunc('hour', received_at, 'UTC'), agent_id, domain, count(*),
            0, 0, 0, 0, 0, 0, 0, 0
       from decisions where organization_id = $1 group by 1, 2, 3, 4`,
    `insert into agents select organization_id, agent_id, min(received_at), max(received_at)
       from decisions where organization_id = $1 group by 1, 2`
  ]
  for (const statement of statements) await scene.database.query(statement, [organizationId])
}

interface Plan extends PlanPart {
  readonly 'Scan Direction'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly Plan[]
}

/** Returns all executed nodes of a plan. */
function partsOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(partsOf)].filter((part) => part['Actual Loops'] > 0)
}

async function explain({ text, values }: Statement): Promise<Plan[]> {
  const read = postgres.changing({
    ...{ role: 'sluice_reader', 'sluice.organization_id': scene.organizationId },
    ...{ enable_seqscan: 'off', jit: 'off' }
  })
  const rows = await read((transaction) =>
    transaction.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, costs off, timing off, format json) ${text}`,
      values
    )
  )
  return rows.flatMap((row) => partsOf(row['QUERY PLAN'][0].Plan))
}

const list = '/v1/decisions'

/** Paths, each with the maximum number of days of decisions that a single statement may read. */
const reads: readonly (readonly [path: string, daysMax: number])[] = [
  [list, 3],
  [`${list}?limit=150`, 4],
  [`${list}?agent_id=agent-1`, 5],
  [`${list}?session_id=session-1&from=-30d`, 16],
  [`${list}?domain=domain-1`, 3],
  [`${list}?trace_id=trace-1&root=false`, 8],
  [`${list}?parent_decision_id=:decision_id`, 8],
  [`${list}?metadata.tenant=t1`, 3],
  [`${list}?verdict=fail&from=-30d`, 30],
  [`${list}?status=pending&from=-2d`, 4],
  [`${list}?model=m1&is_error=true`, 6],
  [`${list}?score=tone:ge:0.1`, 3],
  [`${list}?q=text`, 3],
  [`${list}/:decision_id`, 1],
  [`${list}/:decision_id/context`, 40],
  ['/v1/evaluation/:decision_id', 1],
  [`${list}/stats?window=7d`, 0],
  [`${list}/stats?window=7d&group_by=agent_id&metrics=count`, 0],
  ['/v1/profiles', 8],
  ['/v1/profiles/agent-1', 8]
]

test.each(reads)('reads %s by indexes, from at most %i days', async (path, daysMax) => {
  const before = scene.statements.length
  const { status } = await scene.get(path.replace(':decision_id', decisionId))
  expect(status).toBe(200)
  const asked = scene.statements.slice(before)
  expect(asked).not.toEqual([])
  for (const statement of asked) {
    const parts = await explain(statement)
    const scanned = parts.filter((part) => part['Node Type'] === 'Seq Scan')
    const names = (found: Plan[]) => found.map((part) => part['Relation Name'] ?? '')
    expect([statement.text, names(scanned).filter((name) => growing.test(name))]).toEqual([
      ...[statement.text, []]
    ])
    expect([statement.text, parts.filter(isIdWithoutTime)]).toEqual([statement.text, []])
    const opened = new Set(names(parts).filter((name) => name.startsWith('decisions_2')))
    expect([statement.text, opened.size <= daysMax]).toEqual([statement.text, true])
  }
})

test('reads a list by time backward from an index, without sorting', async () => {
  const before = scene.statements.length
  await scene.get(list)
  const walked = scene.statements.slice(before).filter(({ text }) => text.includes('limit 51'))
  expect(walked).toHaveLength(1)
  for (const statement of walked) {
    const parts = await explain(statement)
    const read = parts.filter((part) => part['Relation Name']?.startsWith('decisions_2'))
    expect(read).not.toEqual([])
    for (const part of read) {
      expect(part['Index Name']).toMatch(/^decisions_\d{8}_pkey$/)
      expect(part['Scan Direction']).toBe('Backward')
    }
    expect(parts.filter((part) => part['Node Type'].includes('Sort'))).toEqual([])
  }
})

test('finds errors by their partial index', async () => {
  const before = scene.statements.length
  await scene.get(`${list}?is_error=true`)
  const walked = scene.statements.slice(before).filter(({ text }) => text.includes('and is_error'))
  expect(walked).not.toEqual([])
  for (const statement of walked) {
    const parts = await explain(statement)
    const names = parts.flatMap((part) => part['Index Name'] ?? [])
    const found = await scene.database.query<{ indexdef: string }>(
      `select indexdef from pg_indexes where indexname = any($1) and tablename like 'decisions_2%'`,
      [names]
    )
    expect(found).not.toEqual([])
    for (const { indexdef } of found) expect(indexdef).toMatch(/WHERE is_error$/)
  }
})

test('reads few days at a time for an export, and the window for a tail', async () => {
  const before = scene.statements.length
  const headers = { authorization: `Bearer ${scene.token}` }
  const exported = await fetch(`${scene.url}${list}/export?from=-40d&fields=decision_id`, {
    headers
  })
  expect((await exported.text()).split('\n').length).toBeGreaterThan(3000)
  const hangUp = new AbortController()
  await fetch(`${scene.url}${list}/tail`, { headers, signal: hangUp.signal })
  hangUp.abort()
  for (const statement of scene.statements.slice(before)) {
    const parts = await explain(statement)
    const read = parts.map((part) => part['Relation Name'] ?? '')
    const scanned = parts.filter((part) => part['Node Type'] === 'Seq Scan')
    expect(scanned.filter((part) => growing.test(part['Relation Name'] ?? ''))).toEqual([])
    expect(parts.filter(isIdWithoutTime)).toEqual([])
    // A page of 500 decisions covers five days here. The 40 days of the export are read in pieces
    // of at most 16 days.
    expect(new Set(read.filter((name) => name.startsWith('decisions_2'))).size).toBeLessThan(17)
  }
})
