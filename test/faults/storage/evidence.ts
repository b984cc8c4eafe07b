/** Saves and loads the evidence of a storage run: ledger, records and rows. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Identity, LedgerLine } from './ledger-line.ts'

/** Record on the decisions topic. */
export interface TopicEntry {
  readonly partition: number
  readonly offset: number
  /** Null for poison records and unreadable records. */
  readonly identity: Identity | null
  readonly fingerprint: string
  /** Time at which the gateway received the decision, in milliseconds since the Unix epoch. */
  readonly receivedAt: number
  /** Null if the record is not a poison record. */
  readonly poisonId: string | null
  /** Hash of key, value and headers. */
  readonly hash: string
}

/** Record on the dead-letter topic. */
export interface DeadLetterEntry {
  /** Position of the original record: `partition/offset`. */
  readonly place: string
  readonly reason: string
  /** Hash of key, value and headers, without the headers that dead-lettering adds. */
  readonly hash: string
}

/** Row of `decisions`. */
export interface StoredRow {
  readonly identity: Identity
  readonly fingerprint: string
  readonly receivedAt: number
  /** Table partition, for example `decisions_20261121` or `decisions_default`. */
  readonly table: string
}

export interface Evidence {
  readonly ledger: readonly LedgerLine[]
  readonly records: readonly TopicEntry[]
  readonly deadLetters: readonly DeadLetterEntry[]
  readonly rows: readonly StoredRow[]
}

/** Formats the position of a record as in `DeadLetterEntry`. */
export function placeOf({ partition, offset }: Pick<TopicEntry, 'partition' | 'offset'>): string {
  return `${partition}/${offset}`
}

type Part = keyof Evidence

const fileNames: Readonly<Record<Part, string>> = {
  ledger: 'ledger.jsonl',
  records: 'records.jsonl',
  deadLetters: 'dead-letters.jsonl',
  rows: 'rows.jsonl'
}

export function pathOf(folder: string, part: Part): string {
  return join(folder, fileNames[part])
}

export function writeEvidence(folder: string, evidence: Omit<Evidence, 'ledger'>): void {
  for (const part of ['records', 'deadLetters', 'rows'] as const) {
    const lines = evidence[part].map((line) => `${JSON.stringify(line)}\n`)
    writeFileSync(pathOf(folder, part), lines.join(''))
  }
}

export function hasLedger(folder: string): boolean {
  return existsSync(pathOf(folder, 'ledger'))
}

export function readLedger(folder: string): LedgerLine[] {
  return readLines<LedgerLine>(pathOf(folder, 'ledger'))
}

export function readEvidence(folder: string): Evidence {
  return {
    ledger: readLedger(folder),
    records: readLines<TopicEntry>(pathOf(folder, 'records')),
    deadLetters: readLines<DeadLetterEntry>(pathOf(folder, 'deadLetters')),
    rows: readLines<StoredRow>(pathOf(folder, 'rows'))
  }
}

function readLines<T>(path: string): T[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T)
}
