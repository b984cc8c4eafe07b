/** Tests that consumers and erasures never run a statement that scans a growing table. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { areStored } from '../../../consumers/evaluation/deferral/are-stored.ts'
import {
  deferDecisions,
  deleteDeferred,
  findWaiting,
  nextOrganization,
  postponeDeferred,
  selectDeferred
} from '../../../consumers/evaluation/deferral/deferred-decisions.ts'
import { createReadExhausted } from '../../../consumers/evaluation/exhausted-rules.ts'
import { createPlanDecisions } from '../../../consumers/evaluation/plan.ts'
import { createRuleSets } from '../../../consumers/evaluation/rule-sets.ts'
import { createStorePlans } from '../../../consumers/evaluation/store-plans.ts'
import { readDecision, readDecisions } from '../../../consumers/evaluation/worker/read-decision.ts'
import { createStoreDecisions } from '../../../consumers/storage/store-decisions.ts'
import { createStoreEvaluations } from '../../../consumers/storage/store-evaluations.ts'
import { createSubscribers } from '../../../consumers/storage/subscribers.ts'
import { createNotifyCompleted } from '../../../consumers/storage/notify-completed.ts'
import type { ErasureScope } from '../../../core/decision/erasure.ts'
import { systemClock as clock } from '../../../platform/process/clock.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { Postgres, Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { eraseChunk } from '../../../store/erasure/erase-chunk.ts'
import { writeErasure } from '../../../store/erasure/erasure-table.ts'
import { aDecision, aPackedRun, aRun, anEvaluation } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { isIdWithoutTime } from '../../support/id-without-time.ts'
import type { PlanPart } from '../../support/id-without-time.ts'

const growing = new RegExp(
  '^((decisions|evaluations)(_default|_\\d{8})|decision_ids_\\d|later_scores|later_runs|' +
    'evaluation_plans|decision_hours|decision_facet_hours|outcome_hours|score_hours|agents|' +
    'deferred_decisions)$'
)
const batch = 500

interface Plan extends PlanPart {
  readonly Plans?: readonly Plan[]
}

let database: TestDatabase
let postgres: Postgres
/** Statements, each with the tables that it would scan. */
const asked: { statement: string; scanned: string[] }[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  const pool = createPostgres({
    url: database.url,
    applicationName: 'test',
    connectionsMax: 4,
    statementTimeoutMs: 60_000
  })
  onEnd(() => pool.close())
  postgres = {
    ...watched(pool),
    transaction: (work) => pool.transaction((transaction) => work(watched(transaction))),
    close: () => pool.close()
  }
  await fill()
})

function watched(queryable: Queryable): Queryable {
  return {
    query: async <R extends Row>(statement: string, values: readonly unknown[] = []) => {
      if (/^\s*(select|insert|update|delete|with)\b/i.test(statement)) {
        const rows = await queryable.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `explain (format json) ${statement}`,
          values
        )
        const scanned = rows.flatMap((row) => scannedIn(row['QUERY PLAN'][0].Plan))
        asked.push({ statement, scanned })
      }
      return queryable.query<R>(statement, values)
    }
  }
}

function scannedIn(plan: Plan): string[] {
  const name = plan['Relation Name'] ?? plan['Index Name'] ?? ''
  const isWhole = plan['Node Type'] === 'Seq Scan' && growing.test(name)
  const own = isWhole || isIdWithoutTime(plan) ? [name] : []
  return [...own, ...(plan.Plans ?? []).flatMap(scannedIn)]
}

/** Inserts enough rows that a scan costs more than the lookups of a batch. */
async function fill(): Promise<void> {
  const rows = 200_000
  const statements = [
    `create temporary table ids as
       select gen_random_uuid() as o, gen_random_uuid() as d from generate_series(1, ${rows})`,
    `insert into decision_ids (organization_id, decision_id, received_at, fingerprint, erased_at)
     select o, d, now(), '\\x00', case when random() < 0.2 then now() end from ids`,
    `insert into decisions (organization_id, decision_id, received_at, input, output)
     select o, d, now(), '1', '"x"' from ids limit 50000`,
    `insert into evaluation_plans (organization_id, decision_id, received_at, rule_set_version,
                                   outcomes, runs)
     select o, d, now(), 0, '{planned}', 1 from ids`,
    `insert into later_runs (organization_id, decision_id, run_id, rule, evaluator,
       evaluator_kind, evaluator_version, generation, status, attempts, received_at,
       evaluated_at)
     select o, d, gen_random_uuid(), 'r', 'e', 'k', 1, 0, 's', 1, now(), now() from ids`,
    `insert into later_scores (organization_id, decision_id, run_id, score_id, name, data_type,
                         source_kind, evaluator, evaluator_kind, evaluator_version, received_at,
                         evaluated_at)
     select o, d, gen_random_uuid(), gen_random_uuid(), 'n', 'boolean', 'evaluator', 'e', 'k', 1,
            now(), now() from ids`,
    `insert into evaluations (organization_id, decision_id, received_at, status, verdict,
                                    scores, counted)
     select o, d, now(), 'evaluated', 'pass', '{}', '{}' from ids`,
    `insert into deferred_decisions (organization_id, decision_id, partition, received_at,
                                     characters)
     select o, d, floor(random() * 12), now(), 1 from ids`,
    `insert into agents select o, 'a', now(), now() from ids limit 50000`,
    `insert into decision_hours
     select o, now(), 'a', '', 1, 0, 0, 0, 0, 0, 0, 0, 0 from ids limit 50000`,
    `insert into decision_facet_hours
     select o, now(), 'a', 'model', 'm', 1, 0, 0, 0, 0, 0, 0, 0, 0 from ids limit 50000`,
    `insert into outcome_hours select o, now(), 'a', '', 's', 'v', 1 from ids limit 50000`,
    `insert into score_hours
     select o, now(), 'a', '', 'n', 's', '', 0, 1, 0, 0, 0, 0, 0 from ids limit 50000`
  ]
  await database.query(`begin; ${statements.join('; ')}; commit`)
  await database.query('analyze')
}

const organizationId = randomUUID()
const decisions = Array.from({ length: batch }, (_, number) =>
  aDecision({
    ...{ organization_id: organizationId, decision_id: randomUUID(), received_at: Date.now() },
    ...{ agent_id: `agent-${number % 7}`, session_id: `session-${number % 50}` }
  })
)
const partition = 3
const consumption = { groupId: 'group', topic: 'topic', partition: 0, nextOffset: 1n, epoch: 0 }

const writers = {
  'storing a plan of each decision': async () => {
    const planDecisions = createPlanDecisions({
      ruleSets: createRuleSets({ postgres, clock }),
      readExhausted: createReadExhausted(postgres),
      storePlans: createStorePlans({ postgres, clock })
    })
    await planDecisions(decisions, consumption)
  },
  'storing decisions': () => createStoreDecisions({ postgres })(decisions, consumption),
  'storing deferred decisions and working them off': async () => {
    await deferDecisions(postgres, decisions, partition)
    await findWaiting(postgres, [organizationId], partition)
    const partitions = [partition, partition + 1]
    await nextOrganization(postgres, partitions, organizationId)
    const most = { decisions: batch, characters: 1_000_000 }
    const deferred = await selectDeferred(postgres, { organizationId, partitions, most })
    await readDecisions(postgres, deferred)
    await postponeDeferred(postgres, deferred)
    await areStored(postgres, decisions)
    await deleteDeferred(postgres, deferred)
  },
  'storing their evaluations': () => {
    const subscribers = createSubscribers({ clock })
    const notifyCompleted = createNotifyCompleted({ subscribers, clock, onDropped: () => {} })
    const evaluations = decisions.map(({ decision_id, agent_id, session_id }) =>
      anEvaluation({
        ...{ organization_id: organizationId, decision_id, agent_id, session_id },
        ...{ runs: [aPackedRun()], later_runs: [aRun()] }
      })
    )
    return createStoreEvaluations({ postgres, notifyCompleted })(evaluations, consumption)
  },
  'reading what a judge needs': async () => {
    for (const { decision_id } of decisions.slice(0, 3)) {
      await readDecision(postgres, { organization_id: organizationId, decision_id })
    }
  },
  'erasing a decision': () => erase('decision', decisions[0]?.decision_id ?? null),
  'erasing a session': () => erase('session', 'session-1'),
  'erasing an agent': () => erase('agent', 'agent-2'),
  'erasing an organization': () => erase('organization', null)
}

async function erase(scope: ErasureScope, subject: string | null): Promise<void> {
  const erasure = await postgres.transaction((transaction) =>
    writeErasure(transaction, {
      ...{ organization_id: organizationId, scope, subject },
      ...{ requested_by: 'test', reason: null }
    })
  )
  while ((await eraseChunk(postgres, erasure)) !== null);
}

test.each(Object.keys(writers) as (keyof typeof writers)[])(
  '%s scans no table that grows, even on redelivery',
  async (writer) => {
    for (let time = 0; time < 2; time++) {
      const before = asked.length
      await writers[writer]()
      const statements = asked.slice(before)
      expect(statements.length).toBeGreaterThan(2)
      expect(statements.filter(({ scanned }) => scanned.length > 0)).toEqual([])
    }
  }
)
