/** Finds one run by its id, wherever it is: open, or stored as ended. */
import type { OrganizationStore } from '../../store.ts'
import { endedColumns, openColumns } from './run-record.ts'
import type { RunRecordRow } from './run-record.ts'

/** What is stored is asked last: a run that ends meanwhile is found there. */
export async function findRun(
  store: OrganizationStore,
  runId: string
): Promise<RunRecordRow | null> {
  const open = await select(store, runId, { table: 'open_runs', columns: openColumns })
  const ended = await select(store, runId, { table: 'evaluation_runs', columns: endedColumns })
  return ended ?? open
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
