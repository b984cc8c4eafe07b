/** Checks the saved ledgers of storage runs against running services or saved evidence. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasLedger, readEvidence } from './evidence.ts'
import type { RunLine } from './ledger-line.ts'
import { brokenOf, checkStorage } from './check-storage.ts'
import type { StorageReport } from './check-storage.ts'
import { gatherEvidence } from './read-evidence.ts'
import type { Running } from './read-evidence.ts'

export interface FolderReport {
  readonly fault: string
  readonly report: StorageReport
  /** Violations by guarantee. */
  readonly broken: Readonly<Record<string, readonly string[]>>
}

/**
 * Returns the addresses of Kafka and Postgres. Returns null if they are not set, in which case the
 * saved evidence is checked.
 */
export function runningOf(environment: NodeJS.ProcessEnv): Running | null {
  const { KAFKA_BROKERS: brokers, DATABASE_URL: databaseUrl } = environment
  return brokers === undefined || databaseUrl === undefined ? null : { brokers, databaseUrl }
}

/** Returns the folder itself if it contains a ledger, otherwise all its subfolders that do. */
export function foldersIn(folder: string): string[] {
  if (hasLedger(folder)) return [folder]
  const names = readdirSync(folder, { withFileTypes: true })
  const folders = names.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  return folders.filter(hasLedger).toSorted()
}

export async function checkFolder(folder: string, running: Running | null): Promise<FolderReport> {
  const evidence = running === null ? readEvidence(folder) : await gatherEvidence(folder, running)
  const run = evidence.ledger.find((line): line is RunLine => line.line === 'run')
  const report = checkStorage(evidence)
  return { fault: run?.fault ?? folder, report, broken: brokenOf(report) }
}
