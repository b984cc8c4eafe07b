/** Stores run kinds, which rows of `evaluations` refer to by number. */
import { hash } from 'node:crypto'
import type { PackedRun, RunKind } from '../../core/evaluation/evaluation.ts'
import { kindListOf } from '../../core/evaluation/packed-outcome.ts'
import type { KindList } from '../../core/evaluation/packed-outcome.ts'
import { runMaskOf, scoreIdOf } from '../../core/ids/run-id.ts'
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Column } from '../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'

/** Columns of an `evaluations` row that determine its kinds. */
interface KindUse {
  readonly organization_id: string
  readonly received_at: Date
  readonly packed: { readonly runs: readonly PackedRun[] } | null
}

interface UsedKind {
  readonly organization_id: string
  readonly kind: RunKind
  /**
   * Latest `received_at` of the rows that refer to the kind. May be in the future, because a
   * gateway's clock may be ahead.
   */
  readonly received_at: Date
}

const members = [
  'rule_id',
  'rule',
  'evaluator_id',
  'evaluator',
  'evaluator_kind',
  'evaluator_version',
  'config_hash',
  'name',
  'data_type',
  'threshold',
  'range_min',
  'range_max',
  'direction',
  'reason_template'
] as const
const types: Partial<Record<keyof RunKind, string>> = {
  evaluator_version: 'integer',
  threshold: 'float8',
  range_min: 'float8',
  range_max: 'float8'
}
const numbers = new WeakMap<RunKind, string>()

/** Returns the number of a kind: the first 64 bits of its SHA-256, as the text of a bigint. */
export function numberOf(kind: RunKind): string {
  const known = numbers.get(kind)
  if (known !== undefined) return known
  const text = JSON.stringify(members.map((member) => kind[member]))
  const number = hash('sha256', text, 'buffer').readBigInt64BE().toString()
  numbers.set(kind, number)
  return number
}

function runMask({ organization_id, kind }: UsedKind): string {
  const { rule_id, evaluator_id, evaluator_version: version } = kind
  return runMaskOf({ organization_id, rule_id, evaluator_id, version, generation: 0 })
}

const insertKinds = createInsertRows<UsedKind>(
  'run_kinds',
  [
    ['organization_id', 'uuid', ({ organization_id }) => organization_id],
    ['run_kind', 'bigint', ({ kind }) => numberOf(kind)],
    ...members.map((member): Column<UsedKind> => [
      member,
      types[member] ?? 'text',
      ({ kind }) => kind[member]
    ]),
    ['run_mask', 'uuid', runMask],
    [
      'score_mask',
      'uuid',
      (used) => (used.kind.name === null ? null : scoreIdOf(runMask(used), used.kind.name))
    ],
    ['used_on', 'date', dayOf]
  ],
  { tail: 'order by organization_id, run_kind on conflict do nothing returning run_kind' }
)

function dayOf({ received_at }: UsedKind): string {
  return received_at.toISOString().slice(0, 'YYYY-MM-DD'.length)
}

/**
 * Sets `used_on` to today or to the day of the row, whichever is later. Retention deletes a kind
 * long after that day. Skips locked kinds, because another transaction is updating them.
 */
const updateUse = `
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
 * Writes the run kinds that rows will refer to. Updates `used_on` of existing kinds
 * first, so that retention keeps them, then inserts kinds that are missing.
 */
export async function writeRunKinds(
  transaction: Queryable,
  rows: readonly KindUse[]
): Promise<void> {
  const kinds = usedKindsOf(rows)
  if (kinds.length === 0) return
  const used = [
    kinds.map(({ organization_id }) => organization_id),
    kinds.map(({ kind }) => numberOf(kind)),
    kinds.map(dayOf)
  ]
  await transaction.query(updateUse, used)
  const inserted = await insertKinds(transaction, kinds)
  if (inserted.length > 0) await transaction.query(updateUse, used)
}

function usedKindsOf(rows: readonly KindUse[]): readonly UsedKind[] {
  const byOrganization = Map.groupBy(rows, ({ organization_id }) => organization_id)
  return [...byOrganization].flatMap(([organization_id, own]) => {
    const used = new Map<string, UsedKind>()
    for (const [{ kinds }, received_at] of usedListsOf(own)) {
      for (const kind of kinds) {
        const known = used.get(numberOf(kind))
        if (known === undefined || known.received_at < received_at) {
          used.set(numberOf(kind), { organization_id, kind, received_at })
        }
      }
    }
    return [...used.values()]
  })
}

/** Returns the latest `received_at` per list of kinds. Most rows share one list. */
function usedListsOf(rows: readonly KindUse[]): ReadonlyMap<KindList, Date> {
  const used = new Map<KindList, Date>()
  for (const { packed, received_at } of rows) {
    if (packed === null) continue
    const list = kindListOf(packed.runs)
    const known = used.get(list)
    if (known === undefined || known < received_at) used.set(list, received_at)
  }
  return used
}
