/** Opens runs that repeat others; each is repeated once, whoever asks, and how often. */
import { runIdOf } from '../../../core/ids/run-id.ts'
import { defaultRuleSet } from '../../../evaluators/default-rule-set.ts'
import type { ResolvedRule, Rule, RuleSet } from '../../../core/evaluation/rule.ts'
import { createInsertRows } from '../../../platform/postgres/insert-rows.ts'
import type { Column } from '../../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import type { ReplayableRun } from './select-replayable.ts'

/** What a rule says of the runs that it plans. */
type RuleTerms = Pick<ResolvedRule, 'rule_id' | 'budget' | 'ttl_seconds' | 'max_attempts'>

interface Replay {
  readonly organizationId: string
  readonly run: ReplayableRun
  readonly run_id: string
  /** One that was deleted still says what it may cost. Null for scores that no rule asked for. */
  readonly rule: RuleTerms | null
  /** Milliseconds since 1970. */
  readonly openedAt: number
}

/** Where no rule says it. */
const [{ ttl_seconds: ttlSeconds, max_attempts: attemptsMax }] = defaultRuleSet.rules as [
  ResolvedRule
]
const secondMs = 1000

const columns: readonly Column<Replay>[] = [
  ['organization_id', 'uuid', ({ organizationId }) => organizationId],
  ['decision_id', 'uuid', ({ run }) => run.decision_id],
  ['run_id', 'uuid', ({ run_id }) => run_id],
  ['rule_id', 'text', ({ run }) => run.rule_id],
  ['rule', 'text', ({ run }) => run.rule],
  ['evaluator_id', 'text', ({ run }) => run.evaluator_id],
  ['evaluator', 'text', ({ run }) => run.evaluator],
  ['evaluator_kind', 'text', ({ run }) => run.evaluator_kind],
  ['evaluator_version', 'integer', ({ run }) => run.evaluator_version],
  ['generation', 'integer', ({ run }) => run.generation + 1],
  ['replay_of', 'uuid', ({ run }) => run.run_id],
  ['connection_id', 'text', ({ run }) => run.connection_id],
  ['received_at', 'timestamptz', ({ run }) => run.received_at],
  ['agent_id', 'text', ({ run }) => run.agent_id],
  ['session_id', 'text', ({ run }) => run.session_id],
  ['domain', 'text', ({ run }) => run.domain],
  ['status', 'text', () => 'scheduled'],
  ['max_attempts', 'integer', ({ rule }) => rule?.max_attempts ?? attemptsMax],
  [
    'expires_at',
    'timestamptz',
    ({ rule, openedAt }) => new Date(openedAt + (rule?.ttl_seconds ?? ttlSeconds) * secondMs)
  ],
  ['budget', 'text', ({ rule }) => (rule === null ? null : JSON.stringify(rule.budget))]
]

const insertReplays = createInsertRows('open_runs', columns, { tail: 'on conflict do nothing' })

/** @param runs that this transaction has locked, and that nothing has taken the place of. */
export async function writeReplays(
  transaction: Queryable,
  { organizationId, openedAt }: { organizationId: string; openedAt: number },
  runs: readonly ReplayableRun[]
): Promise<void> {
  if (runs.length === 0) return
  const rules = await readRules(transaction, organizationId)
  const replays = runs.map((run): Replay => {
    const { decision_id, rule_id, evaluator_id, evaluator_version: version, generation } = run
    const origin = { organization_id: organizationId, decision_id, rule_id, evaluator_id, version }
    const run_id = runIdOf({ ...origin, generation: generation + 1 })
    return { organizationId, run, run_id, rule: rules.get(rule_id) ?? null, openedAt }
  })
  await insertReplays(transaction, replays)
  const names = [
    organizationId,
    replays.map(({ run }) => run.decision_id),
    replays.map(({ run }) => run.run_id),
    replays.map(({ run_id }) => run_id)
  ]
  await transaction.query(supersedeLater, names)
  await transaction.query(supersedePacked, names)
}

const replayed = `unnest($2::uuid[], $3::uuid[], $4::uuid[])
            as replay (decision_id, replay_of, run_id)`

const supersedeLater = `
  update later_runs r
     set superseded_by = replay.run_id
    from ${replayed}
   where r.organization_id = $1
     and r.decision_id = replay.decision_id
     and r.run_id = replay.replay_of`

/** Sets all places of a row at once, because a statement updates a row only once. */
const supersedePacked = `
  update evaluations e
     set superseded_by = (
           select array_agg(coalesce(replay.run_id, e.superseded_by[place.place])
                            order by place.place)
             from unnest(e.run_kinds) with ordinality as place (run_kind, place)
             join run_kinds k on k.organization_id = $1 and k.run_kind = place.run_kind
             left join ${replayed}
               on replay.decision_id = e.decision_id
              and replay.replay_of = xor_ids(e.decision_id, k.run_mask))
   where e.organization_id = $1
     and e.decision_id = any($2::uuid[])
     and e.run_kinds is not null`

/** As they are by now: how long a run may take is not part of what it measures. */
async function readRules(
  transaction: Queryable,
  organizationId: string
): Promise<ReadonlyMap<string, RuleTerms>> {
  const saved = await transaction.query<{ definition: string }>(
    `select definition from evaluation_rules where organization_id = $1`,
    [organizationId]
  )
  const [row] = await transaction.query<{ content: string }>(
    `select content
       from rule_sets
      where organization_id = $1
      order by version desc
      limit 1`,
    [organizationId]
  )
  const { rules } = row === undefined ? defaultRuleSet : (JSON.parse(row.content) as RuleSet)
  const all = saved.map(({ definition }) => JSON.parse(definition) as Rule)
  return new Map([...all, ...rules].map((rule) => [rule.rule_id, rule]))
}
