/** `sluice migrate`: applies the SQL migrations. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { applyMigrations } from '../../platform/postgres/migrations.ts'
import { migrationsFolder } from '../../schemas/index.ts'

export async function migrateDatabase(environment: Environment, write: (line: string) => void) {
  const config = readConfig(environment, ['DATABASE_URL', 'DATABASE_TLS_CA'])
  const { DATABASE_URL: databaseUrl, DATABASE_TLS_CA: ca } = config
  const applied = await applyMigrations({ databaseUrl, ca, folder: migrationsFolder })
  for (const name of applied) write(`applied ${name}`)
  if (applied.length === 0) write('migrations: nothing to do')
}
