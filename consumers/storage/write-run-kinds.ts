/** Writes the kinds of runs that rows of evaluations name, in the transaction that writes them. */
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { PackedRun, RunKind } from './pack-runs.ts'

const insertKinds = createInsertRows<RunKind>(
  'run_kinds',
  [
    ['organization_id', 'uuid', (kind) => kind.organization_id],
    ['run_kind', 'bigint', (kind) => kind.run_kind],
    ['rule_id', 'text', (kind) => kind.rule_id],
    ['rule', 'text', (kind) => kind.rule],
    ['evaluator_id', 'text', (kind) => kind.evaluator_id],
    ['evaluator', 'text', (kind) => kind.evaluator],
    ['evaluator_kind', 'text', (kind) => kind.evaluator_kind],
    ['evaluator_version', 'integer', (kind) => kind.evaluator_version],
    ['config_hash', 'text', (kind) => kind.config_hash],
    ['name', 'text', (kind) => kind.name],
    ['data_type', 'text', (kind) => kind.data_type],
    ['threshold', 'float8', (kind) => kind.threshold],
    ['range_min', 'float8', (kind) => kind.range_min],
    ['range_max', 'float8', (kind) => kind.range_max],
    ['direction', 'text', (kind) => kind.direction],
    ['run_mask', 'uuid', (kind) => kind.run_mask],
    ['score_mask', 'uuid', (kind) => kind.score_mask]
  ],
  { tail: 'order by organization_id, run_kind on conflict do nothing' }
)

/** Retention deletes kinds that were last used long ago. Who is at it already notes the same. */
const noteUse = `
  update run_kinds k
     set used_on = (now() at time zone 'utc')::date
    from (select organization_id, run_kind
            from run_kinds
            join unnest($1::uuid[], $2::bigint[]) as used (organization_id, run_kind)
                 using (organization_id, run_kind)
           where used_on < (now() at time zone 'utc')::date
             for update of run_kinds skip locked) as stale
   where k.organization_id = stale.organization_id and k.run_kind = stale.run_kind`

export async function writeRunKinds(
  transaction: Queryable,
  runs: readonly PackedRun[]
): Promise<void> {
  if (runs.length === 0) return
  const nameOf = (kind: RunKind) => `${kind.organization_id}/${kind.run_kind}`
  const kinds = [...new Map(runs.map(({ kind }) => [nameOf(kind), kind])).values()]
  await insertKinds(transaction, kinds)
  await transaction.query(noteUse, [
    kinds.map(({ organization_id }) => organization_id),
    kinds.map(({ run_kind }) => run_kind)
  ])
}
