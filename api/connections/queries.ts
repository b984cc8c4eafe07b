/** Reads and changes connections and their circuits in Postgres. */
import type { ModelPrice } from '../../platform/llm/judge-client.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import { requireFound } from '../configuration/problems.ts'
import type { Edit, OrganizationRows } from '../configuration/with-organization-lock.ts'
import { evaluatorsMax } from '../evaluators/queries.ts'
import { readRules } from '../rules/queries.ts'
import type { ConnectionView } from './schemas.ts'

export type StoredConnection = Omit<ConnectionView, 'has_api_key' | 'models'> & {
  readonly api_key_sealed: Buffer | null
  readonly models: readonly ModelPrice[]
}

type ConnectionRow = Omit<StoredConnection, 'models' | 'circuit'> &
  ConnectionView['circuit'] & { readonly models: string }

/** Reads all connections of an organization, unordered. */
export async function readConnections(ours: OrganizationRows): Promise<StoredConnection[]> {
  const rows = await query<ConnectionRow>(ours, selectConnections(ours))
  return rows.map(storedOf)
}

/** @throws {Problem} 404 if the connection does not exist */
export async function readConnection(
  ours: OrganizationRows,
  connectionId: string
): Promise<StoredConnection> {
  const one = sql`${selectConnections(ours)} and c.connection_id = ${connectionId}`
  const [row] = await query<ConnectionRow>(ours, one)
  return storedOf(requireFound('connection', row, connectionId))
}

const selectConnections = ({ organizationId }: OrganizationRows) => sql`
  select c.connection_id, c.name, c.kind, c.base_url, c.api_key_sealed, c.api_key_hint, c.models,
         c.concurrency_max, c.created_at, c.updated_at, coalesce(s.state, 'closed') as state,
         s.reason, s.since, s.probe_at, s.paused_until
    from evaluation_connections c
    left join connection_circuits s
      on s.organization_id = c.organization_id and s.connection_id = c.connection_id
   where c.organization_id = ${organizationId}
     and c.deleted_at is null`

function storedOf(row: ConnectionRow): StoredConnection {
  const { state, reason, since, probe_at, paused_until, models, ...columns } = row
  return {
    ...columns,
    models: JSON.parse(models) as ModelPrice[],
    circuit: { state, reason, since, probe_at, paused_until }
  }
}

export async function upsertConnection(
  edit: Edit,
  id: string,
  saved: Omit<StoredConnection, 'connection_id' | 'kind' | 'circuit' | 'created_at' | 'updated_at'>
): Promise<void> {
  const { name, base_url, api_key_sealed, api_key_hint, models, concurrency_max } = saved
  await query(
    edit,
    sql`insert into evaluation_connections (organization_id, connection_id, name, kind, base_url,
                                            api_key_sealed, api_key_hint, models, concurrency_max)
        values (${edit.organizationId}, ${id}, ${name}, 'openai_compatible', ${base_url},
                ${api_key_sealed}, ${api_key_hint}, ${JSON.stringify(models)}, ${concurrency_max})
        on conflict (organization_id, connection_id) do update
           set name = excluded.name, base_url = excluded.base_url, models = excluded.models,
               api_key_sealed = excluded.api_key_sealed, api_key_hint = excluded.api_key_hint,
               concurrency_max = excluded.concurrency_max, updated_at = now()`
  )
}

export async function deleteConnection(edit: Edit, id: string): Promise<void> {
  await query(
    edit,
    sql`update evaluation_connections
           set deleted_at = now(), api_key_sealed = null
         where organization_id = ${edit.organizationId} and connection_id = ${id}`
  )
}

/** Closes the circuit. The worker then releases the blocked runs in batches. */
export async function closeCircuit(edit: Edit, connectionId: string): Promise<void> {
  await query(
    edit,
    sql`insert into connection_circuits (organization_id, connection_id)
        values (${edit.organizationId}, ${connectionId})
        on conflict (organization_id, connection_id) do update
           set state = 'closed', reason = null, since = now(), probe_at = now(), probes = 0,
               failures_in_row = 0, paused_until = null`
  )
}

/**
 * Reads the judges that use the connection in their latest version or in a version that a rule
 * pins.
 */
export async function readConnectionUsers(ours: OrganizationRows, connectionId: string) {
  const rules = await readRules(ours)
  const pinned = rules.flatMap(({ rule }) =>
    rule.evaluators.map(({ evaluator_id, version }) => `${evaluator_id} ${version}`)
  )
  return query<{ readonly evaluator_id: string; readonly name: string }>(
    ours,
    sql`select e.evaluator_id, e.name
          from evaluators e
          join evaluator_versions v
            on v.organization_id = e.organization_id and v.evaluator_id = e.evaluator_id
         where e.organization_id = ${ours.organizationId}
           and e.deleted_at is null
           and (v.version = e.version or concat(e.evaluator_id, ' ', v.version) = any(${pinned}))
           and v.kind = 'llm_judge'
           and v.config::json ->> 'connection_id' = ${connectionId}
         group by e.evaluator_id, e.name
         order by e.name
         limit ${evaluatorsMax}`
  )
}
