/** Writes the kinds of runs that rows of evaluations name, in the transaction that writes them. */
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { RunKind } from './pack-runs.ts'
import type { EvaluationRow } from './evaluation-rows.ts'

interface UsedKind extends RunKind {
  /** The latest time of a decision whose row names it: a gateway's clock may be ahead. */
  readonly received_at: Date
}

const insertKinds = createInsertRows<UsedKind>(
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
    ['score_mask', 'uuid', (kind) => kind.score_mask],
    ['used_on', 'date', dayOf]
  ],
  { tail: 'order by organization_id, run_kind on conflict do nothing returning run_kind' }
)

function dayOf({ received_at }: UsedKind): string {
  return received_at.toISOString().slice(0, 'YYYY-MM-DD'.length)
}

/**
 * Today, or the day of a row, if that is later. Retention deletes kinds that were last used long
 * ago. Who is at it already notes the same.
 */
const noteUse = `
  update run_kinds k
     set used_on = stale.day
    from (select organization_id, run_kind, greatest(day, (now() at time zone 'utc')::date) as day
            from run_kinds
            join unnest($1::uuid[], $2::bigint[], $3::date[])
                 as used (organization_id, run_kind, day) using (organization_id, run_kind)
           where used_on < greatest(day, (now() at time zone 'utc')::date)
             for update of run_kinds skip locked) as stale
   where k.organization_id = stale.organization_id and k.run_kind = stale.run_kind`

/**
 * A kind that is there is noted before it is relied on: from then on retention keeps it. One that
 * retention deletes meanwhile is inserted again.
 */
export async function writeRunKinds(
  transaction: Queryable,
  rows: readonly Pick<EvaluationRow, 'packed' | 'received_at'>[]
): Promise<void> {
  const kinds = usedKindsOf(rows)
  if (kinds.length === 0) return
  const used = [
    kinds.map(({ organization_id }) => organization_id),
    kinds.map(({ run_kind }) => run_kind),
    kinds.map(dayOf)
  ]
  await transaction.query(noteUse, used)
  const inserted = await insertKinds(transaction, kinds)
  if (inserted.length > 0) await transaction.query(noteUse, used)
}

function usedKindsOf(
  rows: readonly Pick<EvaluationRow, 'packed' | 'received_at'>[]
): readonly UsedKind[] {
  const kinds = new Map<string, UsedKind>()
  for (const { packed, received_at } of rows) {
    for (const { kind } of packed?.runs ?? []) {
      const name = `${kind.organization_id}/${kind.run_kind}`
      const known = kinds.get(name)
      if (known === undefined || known.received_at < received_at) {
        kinds.set(name, { ...kind, received_at })
      }
    }
  }
  return [...kinds.values()]
}
