/** Connections to the store of a bench, which end with it. */
import { createPostgres } from '../../platform/postgres/postgres.ts'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import type { Bench } from '../row.ts'

export interface OpenPostgresOptions {
  readonly statementTimeoutMs: number
  readonly connectionsMax?: number
}

export function openPostgres(
  { environment, onStop }: Bench,
  { statementTimeoutMs, connectionsMax = 1 }: OpenPostgresOptions
): Postgres {
  const postgres = createPostgres({
    url: environment['DATABASE_URL'] ?? '',
    applicationName: 'sluice-bench',
    connectionsMax,
    statementTimeoutMs
  })
  onStop(() => postgres.close())
  return postgres
}
