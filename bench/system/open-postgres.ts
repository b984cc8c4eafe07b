/** Opens Postgres connections for a bench and closes them when the bench ends. */
import { createPostgres } from '../../platform/postgres/postgres.ts'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import type { Bench } from '../row.ts'

interface OpenPostgresOptions {
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
