/** Judges the folders of storage runs: from what is running, or from what was kept of it. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasLedger, readEvidence } from './evidence.ts'
import type { RunLine } from './ledger-line.ts'
import { brokenOf, judge } from './judge.ts'
import type { Verdict } from './judge.ts'
import { gatherEvidence } from './read-evidence.ts'
import type { Running } from './read-evidence.ts'

export interface Judgement {
  readonly fault: string
  readonly verdict: Verdict
  /** By promise, what shows that it broke; empty when all were kept. */
  readonly broken: Readonly<Record<string, readonly string[]>>
}

/** Both addresses, or null: then what was kept is judged. */
export function runningOf(environment: NodeJS.ProcessEnv): Running | null {
  const { KAFKA_BROKERS: brokers, DATABASE_URL: databaseUrl } = environment
  return brokers === undefined || databaseUrl === undefined ? null : { brokers, databaseUrl }
}

/** The folder itself when it holds a ledger, else each one in it that does. */
export function foldersIn(folder: string): string[] {
  if (hasLedger(folder)) return [folder]
  const names = readdirSync(folder, { withFileTypes: true })
  const folders = names.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  return folders.filter(hasLedger).toSorted()
}

export async function judgeFolder(folder: string, running: Running | null): Promise<Judgement> {
  const evidence = running === null ? readEvidence(folder) : await gatherEvidence(folder, running)
  const run = evidence.ledger.find((line): line is RunLine => line.line === 'run')
  const verdict = judge(evidence)
  return { fault: run?.fault ?? folder, verdict, broken: brokenOf(verdict) }
}
