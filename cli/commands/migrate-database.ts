/** `sluice migrate`: applies the SQL migrations, and prepares the tables of the job queues. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { prepareJobQueues } from '../../platform/postgres/job-queue.ts'
import { migrate } from '../../platform/postgres/migrations.ts'
import { migrationsFolder } from '../../schemas/index.ts'

export async function migrateDatabase(environment: Environment, write: (line: string) => void) {
  const config = readConfig(environment, ['DATABASE_URL', 'DATABASE_TLS_CA'])
  const address = { databaseUrl: config.DATABASE_URL, ca: config.DATABASE_TLS_CA }
  const applied = await migrate({ ...address, folder: migrationsFolder })
  await prepareJobQueues(address)
  for (const name of applied) write(`applied ${name}`)
  if (applied.length === 0) write('migrations: nothing to do')
}
