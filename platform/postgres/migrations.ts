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
  // Opens the connection here, because the runner does not wait until its own connection is closed.
  const dbClient = new pg.Client(postgresAddressOf(databaseUrl, ca ?? null))
  // Ignored, because the failing query reports the error, too. An error event without a listener
  // would end the process.
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
