/** Reads and writes connections and their circuits in Postgres. */
import type { Queryable, Row } from '../../../../platform/postgres/postgres.ts'
import type { Circuit } from './circuit.ts'
import type { ConnectionToCall } from '../judge-outcome.ts'
import type { PendingRun } from '../pending-run.ts'

export interface ConnectionName {
  readonly organization_id: string
  readonly connection_id: string
}

/** Returns null for a run that needs no connection. */
export function connectionOf({
  organization_id,
  connection_id
}: PendingRun): ConnectionName | null {
  return connection_id === null ? null : { organization_id, connection_id }
}

interface LockedCircuit {
  readonly circuit: Circuit
  /** Time of the Postgres clock at the start of the transaction. */
  readonly now: Date
}

/**
 * Locks the circuit until the transaction ends. Call this before locking a run of the connection.
 * Only one transaction at a time can claim runs of the connection, so the connection's limits hold.
 */
export async function lockCircuit(
  transaction: Queryable,
  name: ConnectionName
): Promise<LockedCircuit> {
  const values = [name.organization_id, name.connection_id]
  const select = `${selectCircuit} for update`
  const known = await transaction.query<CircuitRow>(select, values)
  if (known[0] !== undefined) return lockedOf(known[0])
  await transaction.query(
    `insert into connection_circuits (organization_id, connection_id) values ($1, $2)
     on conflict do nothing`,
    values
  )
  const [made] = await transaction.query<CircuitRow>(select, values)
  if (made === undefined) throw new Error('a circuit was deleted while it was in use')
  return lockedOf(made)
}

type CircuitRow = Circuit & Row & { readonly now: Date }

function lockedOf({ now, ...circuit }: CircuitRow): LockedCircuit {
  return { circuit, now }
}

const selectCircuit = `select state, reason, since, probe_at, probes, failures_in_row, paused_until,
                              now() as now
                         from connection_circuits
                        where organization_id = $1 and connection_id = $2`

/** Reads the circuit without locking it. The result may already be out of date. */
export async function readCircuit(
  transaction: Queryable,
  { organization_id, connection_id }: ConnectionName
): Promise<Circuit | null> {
  const values = [organization_id, connection_id]
  const [circuit] = await transaction.query<Circuit & Row>(selectCircuit, values)
  return circuit ?? null
}

/**
 * Stores the circuit, unless the connection was deleted: the circuit could then stay open forever,
 * because no run probes it.
 */
export async function writeCircuit(
  transaction: Queryable,
  { organization_id, connection_id }: ConnectionName,
  circuit: Circuit
): Promise<void> {
  const { state, reason, since, probe_at, probes, failures_in_row, paused_until } = circuit
  await transaction.query(
    `update connection_circuits
        set state = $3, reason = $4, since = $5, probe_at = $6, probes = $7, failures_in_row = $8,
            paused_until = $9
      where organization_id = $1 and connection_id = $2
        and exists (select from evaluation_connections
                     where organization_id = $1 and connection_id = $2 and deleted_at is null)`,
    [
      organization_id,
      connection_id,
      state,
      reason,
      since,
      probe_at,
      probes,
      failures_in_row,
      paused_until
    ]
  )
}

/**
 * Reads the connection and the number of running calls of other runs. Returns null if the
 * connection was deleted.
 */
export async function readConnection(
  transaction: Queryable,
  { organization_id, connection_id }: ConnectionName,
  runId: string
): Promise<(ConnectionToCall & { readonly running: number }) | null> {
  const rows = await transaction.query<ConnectionToCall & Row & { running: number }>(
    `select organization_id, connection_id, kind, base_url, api_key_sealed, models,
            concurrency_max, updated_at,
            (select count(*)::integer from pending_runs as r
              where r.organization_id = c.organization_id and r.connection_id = c.connection_id
                and r.status = 'running' and r.lease_expires_at > now()
                and r.run_id <> $3) as running
       from evaluation_connections as c
      where organization_id = $1 and connection_id = $2 and deleted_at is null`,
    [organization_id, connection_id, runId]
  )
  return rows[0] ?? null
}
