/** Append-only SQL migrations, each once, under a lock that lets only one process migrate. */
import { runner } from 'node-pg-migrate'

export interface MigrationOptions {
  readonly databaseUrl: string
  readonly folder: string
}

/** @returns the names of the migrations that were applied now, in order. */
export async function migrate({ databaseUrl, folder }: MigrationOptions): Promise<string[]> {
  const applied = await runner({
    databaseUrl,
    dir: folder,
    direction: 'up',
    migrationsTable: 'migrations',
    checkOrder: true,
    singleTransaction: true,
    log: () => {}
  })
  return applied.map(({ name }) => name)
}
