/** Compares the attempts of clients with the decisions topic, the dead-letter topic and the tables.
 */
import { placeOf } from './evidence.ts'
import type { Evidence, StoredRow, TopicEntry } from './evidence.ts'
import { checkDeadLetters } from './check-dead-letters.ts'
import type { DeadLetterReport } from './check-dead-letters.ts'
import { dayOf, misplacedRows } from './misplaced-rows.ts'
import type { AttemptLine, CommittedLine, Identity } from './ledger-line.ts'

/** Result of the checks. Each list except `days` contains violations of one guarantee. */
export interface StorageReport extends DeadLetterReport {
  readonly attempts: number
  /** Number of distinct decisions sent. */
  readonly decisions: number
  readonly acknowledged: number
  readonly rows: number
  /** Number of records that repeat a decision. */
  readonly repetitions: number
  /** Number of decisions with records on more than one UTC day. */
  readonly acrossDays: number
  /** UTC days of the stored decisions. */
  readonly days: readonly string[]
  readonly rowsInDefault: number
  readonly missingFromTopic: readonly string[]
  /** Acknowledged decisions with neither a row nor a dead-letter record. */
  readonly missingFromTable: readonly string[]
  /** Decisions with more than one row. */
  readonly duplicateRows: readonly string[]
  readonly rejectedButStored: readonly string[]
  /** Rows and records with content that was not sent under their id. */
  readonly changed: readonly string[]
  /** Rows and records with an id that was not sent, and records that cannot be decoded. */
  readonly neverSent: readonly string[]
  /** Rows with content from a later record, although an earlier record is in the same partition. */
  readonly laterContentStored: readonly string[]
  /** Rows with a time that no record has, or in the partition of another day. */
  readonly misplaced: readonly string[]
  /** Partitions whose committed offset moved backwards. */
  readonly offsetsBack: readonly string[]
  /** Partitions with records that the group has not committed. */
  readonly unsettled: readonly string[]
  /** Valid decisions with a problem code that the faults do not explain. */
  readonly unexpected: readonly string[]
}

/** Problem codes that the faults or an overloaded test machine explain. */
const explained = new Set(['', 'overloaded', 'log_unavailable', 'broken'])

/** Attempts of one decision, by fingerprint. */
type Contents = ReadonlyMap<string, readonly AttemptLine[]>

export function checkStorage(evidence: Evidence): StorageReport {
  const { ledger, records, deadLetters, rows } = evidence
  const attempts = ledger.filter((line) => line.line === 'attempt')
  const sent = contentsOf(attempts)
  const entries = records.filter(({ identity }) => identity !== null)
  const byIdentity = Map.groupBy(entries, ({ identity }) => identity ?? '')
  const stored = Map.groupBy(rows, ({ identity }) => identity)
  const deadLettered = new Set(deadLetters.map(({ place }) => place))
  const isOnTopic = (attempt: AttemptLine): boolean =>
    (byIdentity.get(attempt.identity) ?? []).some((entry) => isSame(entry, attempt))
  const isStored = (attempt: AttemptLine): boolean =>
    (stored.get(attempt.identity) ?? []).some((row) => isSame(row, attempt))
  const isDeadLettered = (attempt: AttemptLine): boolean =>
    (byIdentity.get(attempt.identity) ?? []).some(
      (entry) => isSame(entry, attempt) && deadLettered.has(placeOf(entry))
    )
  const acknowledged = firstOfEach(attempts.filter(({ outcome }) => outcome === 'acknowledged'))
  const rejected = rejectedOnly(sent)
  const found = [...entries, ...rows]
  return {
    attempts: attempts.length,
    decisions: sent.size,
    acknowledged: acknowledged.length,
    rows: rows.length,
    repetitions: entries.length - byIdentity.size,
    ...daysOf(byIdentity, rows),
    missingFromTopic: namesOf(acknowledged.filter((attempt) => !isOnTopic(attempt))),
    missingFromTable: namesOf(
      acknowledged.filter((attempt) => !isStored(attempt) && !isDeadLettered(attempt))
    ),
    duplicateRows: [...stored].filter(([, same]) => same.length > 1).map(([identity]) => identity),
    rejectedButStored: namesOf(
      rejected.filter((attempt) => isOnTopic(attempt) || isStored(attempt))
    ),
    changed: namesOf(
      found.filter((each) => sent.get(each.identity ?? '')?.has(each.fingerprint) === false)
    ),
    neverSent: neverSentOf(evidence, sent),
    laterContentStored: laterContentStoredIn(byIdentity, stored),
    misplaced: misplacedRows(byIdentity, rows),
    ...offsetsOf(
      ledger.filter((line) => line.line === 'committed'),
      records
    ),
    unexpected: attempts
      .filter((attempt) => attempt.sent === 'good' && !explained.has(attempt.code))
      .map(({ identity, code }) => `${identity}: ${code}`),
    ...checkDeadLetters(evidence, stored)
  }
}

/** Report members that are lists but do not contain violations. */
const harmless = ['days']

/** Returns the non-empty violation lists by name. */
export function brokenOf(report: StorageReport): Record<string, readonly string[]> {
  const lists = Object.entries(report).filter(
    (entry): entry is [string, readonly string[]] => Array.isArray(entry[1]) && entry[1].length > 0
  )
  return Object.fromEntries(lists.filter(([name]) => !harmless.includes(name)))
}

type Said = Pick<AttemptLine, 'fingerprint'>

function isSame(one: Said, other: Said): boolean {
  return one.fingerprint === other.fingerprint
}

function namesOf(found: readonly { readonly identity: Identity | null }[]): string[] {
  return [...new Set(found.map(({ identity }) => identity ?? ''))]
}

function contentsOf(attempts: readonly AttemptLine[]): Map<Identity, Contents> {
  const groups = Map.groupBy(attempts, ({ identity }) => identity)
  return new Map(
    [...groups].map(([identity, same]) => [identity, Map.groupBy(same, (each) => each.fingerprint)])
  )
}

/** For each decision, returns the first attempt with each distinct content. */
function firstOfEach(attempts: readonly AttemptLine[]): AttemptLine[] {
  const contents = Map.groupBy(attempts, (each) => `${each.identity} ${each.fingerprint}`)
  return [...contents.values()].flatMap((same) => same.slice(0, 1))
}

/** Returns the first attempt for each content that was always rejected. */
function rejectedOnly(sent: ReadonlyMap<Identity, Contents>): AttemptLine[] {
  const contents = [...sent.values()].flatMap((each) => [...each.values()])
  return contents
    .filter((attempts) => attempts.every(({ outcome }) => outcome === 'rejected'))
    .flatMap((attempts) => attempts.slice(0, 1))
}

function neverSentOf({ records, rows }: Evidence, sent: ReadonlyMap<Identity, unknown>): string[] {
  const unread = records.filter(({ identity, poisonId }) => identity === null && poisonId === null)
  const found = namesOf([...records.filter(({ identity }) => identity !== null), ...rows])
  return [...unread.map(placeOf), ...found.filter((identity) => !sent.has(identity))]
}

type Entries = ReadonlyMap<Identity, readonly TopicEntry[]>
type Stored = ReadonlyMap<Identity, readonly StoredRow[]>

/**
 * Returns decisions whose row does not have the content of their first record. Ignores decisions
 * with records in several partitions, because the order of those records is unknown.
 */
function laterContentStoredIn(entries: Entries, stored: Stored): string[] {
  return [...entries].flatMap(([identity, same]) => {
    const [row] = stored.get(identity) ?? []
    const isOrdered = new Set(same.map(({ partition }) => partition)).size === 1
    if (row === undefined || !isOrdered) return []
    const first = same.reduce((least, entry) => (entry.offset < least.offset ? entry : least))
    return isSame(first, row) ? [] : [identity]
  })
}

function daysOf(entries: Entries, rows: readonly StoredRow[]) {
  const isAcross = (same: readonly TopicEntry[]): boolean =>
    new Set(same.map(({ receivedAt }) => dayOf(receivedAt))).size > 1
  return {
    acrossDays: [...entries.values()].filter(isAcross).length,
    days: [...new Set(rows.map(({ receivedAt }) => dayOf(receivedAt)))].toSorted(),
    rowsInDefault: rows.filter(({ table }) => table === 'decisions_default').length
  }
}

function offsetsOf(lines: readonly CommittedLine[], records: readonly TopicEntry[]) {
  const committed = new Map<number, number>()
  const offsetsBack: string[] = []
  for (const { partition, offset } of lines) {
    const before = committed.get(partition) ?? 0
    if (offset < before) offsetsBack.push(`${partition}: from ${before} to ${offset}`)
    committed.set(partition, offset)
  }
  const behind = records.filter((entry) => entry.offset >= (committed.get(entry.partition) ?? 0))
  const unsettled = [...Map.groupBy(behind, ({ partition }) => partition)]
  return {
    offsetsBack,
    unsettled: unsettled.map(([partition, left]) => `${partition}: ${left.length} records`)
  }
}
