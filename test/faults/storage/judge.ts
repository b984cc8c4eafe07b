/** Holds the clients' ledger against the topic, the dead letters and the tables. */
import { placeOf } from './evidence.ts'
import type { Evidence, StoredRow, TopicEntry } from './evidence.ts'
import { judgeLetters } from './judge-letters.ts'
import type { LetterVerdict } from './judge-letters.ts'
import { dayOf, misplacedRows } from './judge-places.ts'
import type { AttemptLine, CommittedLine, Identity } from './ledger-line.ts'

/** Lists name what is wrong; an empty list is a promise kept. */
export interface Verdict extends LetterVerdict {
  readonly attempts: number
  /** Different decisions that were sent, by identity. */
  readonly decisions: number
  readonly acknowledged: number
  readonly rows: number
  /** Records of a decision beyond its first, which the store has to settle. */
  readonly repetitions: number
  /** Decisions that were delivered on more than one UTC day. */
  readonly acrossDays: number
  /** UTC days that rows belong to. */
  readonly days: readonly string[]
  readonly rowsInDefault: number
  /** Acknowledged, and not on the topic. */
  readonly missingFromTopic: readonly string[]
  /** Acknowledged, and neither a row nor a dead letter. */
  readonly missingFromTable: readonly string[]
  /** Identities with more rows than one. */
  readonly duplicateRows: readonly string[]
  readonly refusedButStored: readonly string[]
  /** Rows and records that say what nobody sent under this identity. */
  readonly changed: readonly string[]
  /** Rows and records of identities that nobody sent. */
  readonly strangers: readonly string[]
  /** Rows of a later content, although the earlier one lies before it in the same partition. */
  readonly usurped: readonly string[]
  /** Rows with a time of no record, or in the table of another day. */
  readonly misplaced: readonly string[]
  /** Partitions whose committed offset moved back. */
  readonly offsetsBack: readonly string[]
  /** Partitions with records behind the committed offset. */
  readonly unsettled: readonly string[]
  /** Valid decisions that ended as a refusal which nothing explains. */
  readonly unexpected: readonly string[]
}

/** A busy machine may make a gateway turn a request away at any time. */
const explained = new Set(['', 'overloaded', 'log_unavailable', 'broken'])

/** What was sent under one identity, by fingerprint, and whether it was acknowledged. */
type Contents = ReadonlyMap<string, readonly AttemptLine[]>

export function judge(evidence: Evidence): Verdict {
  const { ledger, records, letters, rows } = evidence
  const attempts = ledger.filter((line) => line.line === 'attempt')
  const sent = contentsOf(attempts)
  const entries = records.filter(({ identity }) => identity !== null)
  const byIdentity = Map.groupBy(entries, ({ identity }) => identity ?? '')
  const stored = Map.groupBy(rows, ({ identity }) => identity)
  const lettered = new Set(letters.map(({ place }) => place))
  const isOnTopic = (attempt: AttemptLine): boolean =>
    (byIdentity.get(attempt.identity) ?? []).some((entry) => isSame(entry, attempt))
  const isStored = (attempt: AttemptLine): boolean =>
    (stored.get(attempt.identity) ?? []).some((row) => isSame(row, attempt))
  const isLettered = (attempt: AttemptLine): boolean =>
    (byIdentity.get(attempt.identity) ?? []).some(
      (entry) => isSame(entry, attempt) && lettered.has(placeOf(entry))
    )
  const acknowledged = firstOfEach(attempts.filter(({ outcome }) => outcome === 'acknowledged'))
  const refused = refusedOnly(sent)
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
      acknowledged.filter((attempt) => !isStored(attempt) && !isLettered(attempt))
    ),
    duplicateRows: [...stored].filter(([, same]) => same.length > 1).map(([identity]) => identity),
    refusedButStored: namesOf(refused.filter((attempt) => isOnTopic(attempt) || isStored(attempt))),
    changed: namesOf(
      found.filter((each) => sent.get(each.identity ?? '')?.has(each.fingerprint) === false)
    ),
    strangers: strangersOf(evidence, sent),
    usurped: usurpedOf(byIdentity, stored),
    misplaced: misplacedRows(byIdentity, rows),
    ...offsetsOf(
      ledger.filter((line) => line.line === 'committed'),
      records
    ),
    unexpected: attempts
      .filter((attempt) => attempt.sent === 'good' && !explained.has(attempt.code))
      .map(({ identity, code }) => `${identity}: ${code}`),
    ...judgeLetters(evidence, stored)
  }
}

/** Lists that say what there was, and not what is wrong. */
const harmless = ['days']

/** The promises that broke, with what shows it. */
export function brokenOf(verdict: Verdict): Record<string, readonly string[]> {
  const lists = Object.entries(verdict).filter(
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

/** Each content once, however often it was sent. */
function firstOfEach(attempts: readonly AttemptLine[]): AttemptLine[] {
  const contents = Map.groupBy(attempts, (each) => `${each.identity} ${each.fingerprint}`)
  return [...contents.values()].flatMap((same) => same.slice(0, 1))
}

/** Contents of which every attempt was refused for certain. */
function refusedOnly(sent: ReadonlyMap<Identity, Contents>): AttemptLine[] {
  const contents = [...sent.values()].flatMap((each) => [...each.values()])
  return contents
    .filter((attempts) => attempts.every(({ outcome }) => outcome === 'refused'))
    .flatMap((attempts) => attempts.slice(0, 1))
}

function strangersOf({ records, rows }: Evidence, sent: ReadonlyMap<Identity, unknown>): string[] {
  const unread = records.filter(({ identity, poisonId }) => identity === null && poisonId === null)
  const found = namesOf([...records.filter(({ identity }) => identity !== null), ...rows])
  return [...unread.map(placeOf), ...found.filter((identity) => !sent.has(identity))]
}

type Entries = ReadonlyMap<Identity, readonly TopicEntry[]>
type Stored = ReadonlyMap<Identity, readonly StoredRow[]>

/** Within one partition the order is certain: the first has to win. */
function usurpedOf(entries: Entries, stored: Stored): string[] {
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
