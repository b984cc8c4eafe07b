/** Finds one run by its id, wherever it is: open, or stored as ended. */
import { onDays } from '../../decision-days.ts'
import type { OrganizationStore } from '../../store.ts'
import { endedColumns, openColumns } from './run-record.ts'
import type { RunRecordRow } from './run-record.ts'

/** What is stored is asked last: a run that ends meanwhile is found there. */
export async function findRun(
  store: OrganizationStore,
  runId: string
): Promise<RunRecordRow | null> {
  const open = await select(store, runId, { table: 'open_runs', columns: openColumns })
  const later = await select(store, runId, { table: 'later_runs', columns: endedColumns })
  return later ?? (await findPacked(store, runId)) ?? open
}

/**
 * The id is that of its decision, XOR the mask of a kind: there are few masks, and each leads to
 * one decision that may have the run. Their days are values of a statement of its own, so that it
 * looks into those days alone; into all of them only for a decision that is not stored, or is
 * stored under another time than its evaluation.
 */
async function findPacked(store: OrganizationStore, runId: string): Promise<RunRecordRow | null> {
  const places = await store.query<{ decision_id: string; received_at: Date | null }>(
    `select possible.decision_id, i.received_at
       from (select distinct xor_ids($2, run_mask) as decision_id
               from run_kinds
              where organization_id = $1) as possible
       left join decision_ids i
         on i.organization_id = $1 and i.decision_id = possible.decision_id`,
    [store.organizationId, runId]
  )
  if (places.length === 0) return null
  const ids = places.map(({ decision_id }) => decision_id)
  const days = places.flatMap(({ received_at }) => received_at ?? [])
  const found = days.length === 0 ? null : await selectPacked(store, runId, { ids, days })
  return found ?? (await selectPacked(store, runId, { ids, days: null }))
}

async function selectPacked(
  store: OrganizationStore,
  runId: string,
  { ids, days }: { ids: readonly string[]; days: readonly Date[] | null }
): Promise<RunRecordRow | null> {
  const [row] = await store.query<RunRecordRow>(
    `select ${endedColumns}
       from packed_runs s
      where s.organization_id = $1
        and s.run_id = $2
        and s.decision_id = any($3::uuid[])
        and ${onDays('s.received_at', '$4')}
      limit 1`,
    [store.organizationId, runId, ids, days]
  )
  return row ?? null
}

async function select(
  store: OrganizationStore,
  runId: string,
  { table, columns }: { table: string; columns: string }
): Promise<RunRecordRow | null> {
  const rows = await store.query<RunRecordRow>(
    `select ${columns}
       from ${table} s
      where s.organization_id = $1
        and s.run_id = $2
      limit 1`,
    [store.organizationId, runId]
  )
  return rows[0] ?? null
}
