/** Applies each SQL migration once, in order, under a lock that excludes concurrent runs. */
import { runner } from 'node-pg-migrate'
import { postgresAddressOf } from './postgres-tls.ts'

interface MigrationOptions {
  readonly databaseUrl: string
  /** CA certificates (PEM) that replace those of Node.js. */
  readonly ca?: string | null
  readonly folder: string
}

/** @returns the names of the migrations that this call applied, in order */
export async function applyMigrations({
  databaseUrl,
  ca,
  folder
}: MigrationOptions): Promise<string[]> {
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
