/** Connections as the tables hold them, with the state of their circuits. */
import type { ModelPrice } from '../../platform/llm/judge-client.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'

export interface StoredConnection {
  readonly connection_id: string
  readonly name: string
  readonly kind: string
  readonly base_url: string
  readonly api_key_sealed: Buffer | null
  readonly api_key_hint: string | null
  readonly models: readonly ModelPrice[]
  readonly concurrency_max: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly circuit: Circuit
}

interface Circuit {
  readonly state: string
  readonly reason: string | null
  readonly since: Date | null
  readonly probe_at: Date | null
  readonly paused_until: Date | null
}

type ConnectionRow = Omit<StoredConnection, 'models' | 'circuit'> & Circuit & { models: string }

const selectConnections = `
  select c.connection_id, c.name, c.kind, c.base_url, c.api_key_sealed, c.api_key_hint, c.models,
         c.concurrency_max, c.created_at, c.updated_at, coalesce(s.state, 'closed') as state,
         s.reason, s.since, s.probe_at, s.paused_until
    from evaluation_connections c
    left join connection_circuits s
      on s.organization_id = c.organization_id and s.connection_id = c.connection_id
   where c.organization_id = $1
     and c.deleted_at is null`

/** All of an organization, in no order. */
export async function readConnections(ours: OrganizationRows): Promise<StoredConnection[]> {
  const rows = await ours.query<ConnectionRow & Row>(selectConnections, [ours.organizationId])
  return rows.map(storedOf)
}

export async function readConnection(
  ours: OrganizationRows,
  connectionId: string
): Promise<StoredConnection | null> {
  const statement = `${selectConnections} and c.connection_id = $2`
  const values = [ours.organizationId, connectionId]
  const [row] = await ours.query<ConnectionRow & Row>(statement, values)
  return row === undefined ? null : storedOf(row)
}

function storedOf(row: ConnectionRow): StoredConnection {
  const { state, reason, since, probe_at, paused_until, models, ...columns } = row
  return {
    ...columns,
    models: JSON.parse(models) as ModelPrice[],
    circuit: { state, reason, since, probe_at, paused_until }
  }
}

/** What callers see of it: the key itself is never shown again. */
export function connectionView({ api_key_sealed, ...connection }: StoredConnection) {
  const { connection_id, name, kind, base_url, api_key_hint, models } = connection
  const { concurrency_max, circuit, created_at, updated_at } = connection
  return {
    ...{ connection_id, name, kind, base_url },
    ...{ has_api_key: api_key_sealed !== null, api_key_hint },
    ...{ models, concurrency_max, circuit, created_at, updated_at }
  }
}
