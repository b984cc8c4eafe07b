/** `sluice migrate`: applies the SQL migrations. */
import { readConfig } from '../../platform/config.ts'
import type { Environment } from '../../platform/config.ts'
import { migrate } from '../../platform/migrations.ts'
import { migrationsFolder } from '../../schemas/index.ts'

export async function migrateDatabase(environment: Environment, write: (line: string) => void) {
  const config = readConfig(environment, ['DATABASE_URL', 'DATABASE_TLS_CA'])
  const applied = await migrate({
    databaseUrl: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    folder: migrationsFolder
  })
  for (const name of applied) write(`applied ${name}`)
  if (applied.length === 0) write('migrations: nothing to do')
}
