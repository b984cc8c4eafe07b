/** Applies each SQL migration once, in order, under a lock that excludes concurrent runs. */
import { runner } from 'node-pg-migrate'
import pg from 'pg'
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
  // The runner does not wait until a connection that it opened itself is closed.
  const dbClient = new pg.Client(postgresAddressOf(databaseUrl, ca ?? null))
  // The query that fails reports the error, too. Without a listener it would end the process.
  dbClient.on('error', () => {})
  await dbClient.connect()
  try {
    const applied = await runner({
      dbClient,
      dir: folder,
      direction: 'up',
      migrationsTable: 'migrations',
      checkOrder: true,
      singleTransaction: true,
      log: () => {}
    })
    return applied.map(({ name }) => name)
  } finally {
    await dbClient.end()
  }
}
