/** `sluice keys list`: lists API keys without their secrets, which are not stored. */
import { systemClock } from '../../platform/process/clock.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { stateOf } from '../keys/key-state.ts'
import { organizationIdOf, selectKeys } from '../keys/key-table.ts'
import type { KeyRow } from '../keys/key-table.ts'
import { formatTable } from '../../core/format-table.ts'
import { withPostgres } from '../with-postgres.ts'

export interface ListKeysOptions {
  readonly organization?: string
  readonly json?: boolean
}

const head = ['key_id', 'organization', 'name', 'state', 'scopes', 'limit', 'expires', 'last used']

export async function listKeys(
  environment: Environment,
  options: ListKeysOptions,
  write: (line: string) => void
): Promise<void> {
  const config = readConfig(environment, ['DATABASE_URL', 'DATABASE_TLS_CA'])
  const { organization, json } = options
  const rows = await withPostgres(config, async (postgres) => {
    const id = organization === undefined ? null : await organizationIdOf(postgres, organization)
    return selectKeys(postgres, id)
  })
  if (json === true) return write(JSON.stringify(rows))
  if (rows.length === 0) return write('There are no API keys. Create one with sluice keys create.')
  for (const line of formatTable([head, ...rows.map(cellsOf)])) write(line)
}

function cellsOf(row: KeyRow): string[] {
  return [
    row.key_id,
    row.organization,
    row.name,
    stateOf(row, systemClock.now()),
    row.scopes.join(','),
    row.rate_limit_points?.toString() ?? '-',
    textOf(row.expires_at),
    textOf(row.last_used_at)
  ]
}

function textOf(time: Date | null): string {
  return time === null ? '-' : time.toISOString().slice(0, 16).replace('T', ' ')
}
