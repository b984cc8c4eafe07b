/** Creates a test scene: a complete installation with one tenant, and a rule that sends all of the
 * tenant's decisions to a local judge.
 */
import { randomUUID } from 'node:crypto'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import type { ResolvedRule } from '../../../core/evaluation/rule.ts'
import type { Application } from '../../support/application.ts'
import { aDecisionBody } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { clientOf, createInstallation } from '../../support/installation.ts'
import type { Client, Installation, Tenant } from '../../support/installation.ts'
import { startJudgeServer } from '../../support/judge-server.ts'
import type { JudgeServer } from '../../support/judge-server.ts'
import { waitUntil } from '../../support/wait-until.ts'

type StoredRun = {
  readonly run_id: string
  readonly decision_id: string
  readonly status: string
  readonly status_reason: string | null
  readonly attempts: number
  readonly scores: number
}

export type JudgedScene = {
  readonly installation: Installation
  readonly tenant: Tenant
  readonly client: Client
  readonly judge: JudgeServer
  readonly evaluation: Application
  startEvaluation(overrides?: NodeJS.ProcessEnv): Promise<Application>
  /** Posts this number of decisions and returns their IDs. */
  decide(count: number, body?: Record<string, unknown>): Promise<string[]>
  stored(decisionIds: readonly string[]): Promise<StoredRun[]>
  /** Resolves when each decision has a stored run. */
  allStored(decisionIds: readonly string[], timeoutMs?: number): Promise<StoredRun[]>
  rows(table: string, decisionIds: readonly string[]): Promise<Record<string, unknown>[]>
}

const connection_id = 'con_00000000000000000000000000000001'
/** Maximum number of concurrent calls per process. */
export const callsMax = 8

const version: EvaluatorVersion = {
  ...{ evaluator_id: 'evl_00000000000000000000000000000001', name: 'quality', version: 1 },
  ...{ kind: 'llm_judge', description: null, timeout_ms: 20_000, config_hash: 'sha256:00' },
  config: {
    ...{ connection_id, model: 'grader', prompt: 'How good is {{output}}?' },
    scale: { type: 'rubric', min: 1, max: 5 }
  },
  output: {
    ...{ name: 'quality', data_type: 'numeric', min: 1, max: 5, labels: null, pass: null },
    ...{ threshold: 3, direction: 'higher' }
  }
}

const rule: ResolvedRule = {
  ...{ rule_id: 'rul_00000000000000000000000000000001', name: 'quality of all', enabled: true },
  ...{ match: {}, sampling: { rate: 1, key: 'decision', cohort: 'default' } },
  budget: { usd_per_day: null, calls_per_day: null, on_exhausted: 'skip' },
  ...{ ttl_seconds: 3600, max_attempts: 8, evaluators: [version] }
}

export async function createJudgedScene(): Promise<JudgedScene> {
  const installation = await createInstallation()
  const [tenant, judge] = [await installation.createTenant(), await startJudgeServer()]
  onEnd(() => judge.close())
  const { organization_id } = tenant
  const { query } = installation.database
  await configure(installation, organization_id, judge.baseUrl)
  const startEvaluation: JudgedScene['startEvaluation'] = (overrides = {}) =>
    installation.start('evaluation', {
      JUDGE_CALLS_MAX: String(callsMax),
      SHUTDOWN_DEADLINE_MS: '6000',
      ...overrides
    })
  // Starts the processes one after the other, so that they do not compete for the CPU of a busy
  // machine.
  const gateway = await installation.start('gateway')
  const evaluation = await startEvaluation()
  await installation.start('storage')
  const client = clientOf(gateway, tenant)

  const stored: JudgedScene['stored'] = (ids) =>
    query<StoredRun>(
      `select run_id, decision_id, status, status_reason, attempts,
              (select count(*)::integer from scores as s
                where s.organization_id = r.organization_id and s.run_id = r.run_id) as scores
         from evaluation_runs as r
        where organization_id = $1 and decision_id = any ($2::uuid[])`,
      [organization_id, ids]
    )
  return {
    ...{ installation, tenant, client, judge, evaluation, startEvaluation, stored },
    decide: (count, body = {}) =>
      Promise.all(
        Array.from({ length: count }, () =>
          client.accept(aDecisionBody({ agent_id: randomUUID(), ...body }))
        )
      ),
    allStored: (ids, timeoutMs) =>
      waitUntil(
        'all runs are stored',
        async () => {
          const runs = await stored(ids)
          return new Set(runs.map((run) => run.decision_id)).size === ids.length && runs
        },
        timeoutMs
      ),
    rows: (table, ids) =>
      query(
        `select * from ${table} where organization_id = $1 and decision_id = any ($2::uuid[])`,
        [organization_id, ids]
      )
  }
}

async function configure(
  { database }: Installation,
  organizationId: string,
  baseUrl: string
): Promise<void> {
  await database.query(
    `insert into evaluation_connections (organization_id, connection_id, name, kind, base_url,
                                         concurrency_max)
     values ($1, $2, 'here', 'openai_compatible', $3, 100)`,
    [organizationId, connection_id, baseUrl]
  )
  await database.query(
    `insert into evaluator_versions (organization_id, evaluator_id, version, name, kind, config,
                                     output, timeout_ms, config_hash, created_by)
     values ($1, $2, 1, $3, 'llm_judge', $4, $5, $6, $7, 'test')`,
    [
      ...[organizationId, version.evaluator_id, version.name, JSON.stringify(version.config)],
      ...[JSON.stringify(version.output), version.timeout_ms, version.config_hash]
    ]
  )
  await database.query(
    `insert into rule_sets (organization_id, version, content, created_by)
     values ($1, 1, $2, 'test')`,
    [organizationId, JSON.stringify({ version: 1, rules: [rule] })]
  )
}
