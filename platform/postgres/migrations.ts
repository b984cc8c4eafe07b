/** Append-only SQL migrations, each once, under a lock that lets only one process migrate. */
import { runner } from 'node-pg-migrate'
import { postgresAddressOf } from './postgres-tls.ts'

export interface MigrationOptions {
  readonly databaseUrl: string
  /** PEM of the authorities to trust, instead of those of Node. */
  readonly ca?: string | null
  readonly folder: string
}

/** @returns the names of the migrations that were applied now, in order. */
export async function migrate({ databaseUrl, ca, folder }: MigrationOptions): Promise<string[]> {
  const applied = await runner({
    databaseUrl: postgresAddressOf(databaseUrl, ca ?? null),
    dir: folder,
    direction: 'up',
    migrationsTable: 'migrations',
    checkOrder: true,
    singleTransaction: true,
    log: () => {}
  })
  return applied.map(({ name }) => name)
}
