/** What the judge looks at: the ledger of the clients, the topics and the tables, and its files. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Identity, LedgerLine } from './ledger-line.ts'

/** A record of the decisions topic. */
export interface TopicEntry {
  readonly partition: number
  readonly offset: number
  /** Null for poison and for what nobody can read. */
  readonly identity: Identity | null
  readonly fingerprint: string
  /** Milliseconds since 1970, as the record says. */
  readonly receivedAt: number
  /** Null for what did not come as poison. */
  readonly poisonId: string | null
  /** Of key, value and headers. */
  readonly hash: string
}

/** A record of the dead-letter topic. */
export interface Letter {
  /** Of the original: `partition/offset`. */
  readonly place: string
  readonly reason: string
  /** Of key, value and headers, without those that say why it is here. */
  readonly hash: string
}

/** A row of `decisions`. */
export interface StoredRow {
  readonly identity: Identity
  readonly fingerprint: string
  readonly receivedAt: number
  /** The table that holds it: `decisions_20261121` or `decisions_default`. */
  readonly table: string
}

export interface Evidence {
  readonly ledger: readonly LedgerLine[]
  readonly records: readonly TopicEntry[]
  readonly letters: readonly Letter[]
  readonly rows: readonly StoredRow[]
}

/** Where a record lies, as dead letters name it. */
export function placeOf({ partition, offset }: Pick<TopicEntry, 'partition' | 'offset'>): string {
  return `${partition}/${offset}`
}

type Part = keyof Evidence

/** Where the ledger of a run lies in its folder; the other parts lie beside it. */
export function pathOf(folder: string, part: Part): string {
  return join(folder, `${part}.jsonl`)
}

export function writeEvidence(folder: string, evidence: Omit<Evidence, 'ledger'>): void {
  for (const part of ['records', 'letters', 'rows'] as const) {
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

/** What an earlier reading has left in the folder. */
export function readEvidence(folder: string): Evidence {
  return {
    ledger: readLedger(folder),
    records: readLines<TopicEntry>(pathOf(folder, 'records')),
    letters: readLines<Letter>(pathOf(folder, 'letters')),
    rows: readLines<StoredRow>(pathOf(folder, 'rows'))
  }
}

function readLines<T>(path: string): T[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T)
}
