/** The audit: every message of a window, and what became of it.
 *
 *     ends ▶ committed ▶ dead letters ▶ messages ▶ tables
 *
 * In this order: what the group had settled when its offsets were read had its dead letters
 * acknowledged and its rows committed before, so whatever is looked at later must show them.
 */
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { OffsetRange } from '../../platform/kafka/log-fetcher.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import { deadLetterTopicOf } from '../../schemas/index.ts'
import type { Describe } from '../records/describe.ts'
import { createAuditTally } from './audit-tally.ts'
import type { AuditTally } from './audit-tally.ts'
import type { AuditReport } from './audit-report.ts'
import { readCondemnedOffsets } from './condemned-offsets.ts'
import type { ReasonOf } from './condemned-offsets.ts'
import { createSeenIdentities } from './seen-identities.ts'
import type { SeenIdentities } from './seen-identities.ts'
import { selectKeptFrom, selectStoredFacts } from './stored-facts.ts'
import { judge } from './verdict.ts'

export interface AuditDependencies {
  readonly reader: TopicReader
  readonly postgres: Queryable
  readonly describe: Describe
  /** By partition, what the group has committed; -1 where it has committed nothing. */
  readonly readCommitted: (group: string, topic: string) => Promise<readonly bigint[]>
  readonly signal: AbortSignal
  /** Called now and then with the messages looked at so far, and how many there are. */
  readonly progress: (done: number, total: number) => void
}

export interface AuditRequest {
  readonly topic: string
  /** The storage group. */
  readonly group: string
  /** Milliseconds since 1970; `to` is excluded. */
  readonly from: number
  readonly to: number
  /**
   * To the end of the log, as it is when the audit begins. By time, one message that is dated ahead
   * would hide all that came after it.
   */
  readonly isToEnd: boolean
}

const chunkMessages = 1000
/** At 16 bytes each in the worst case: 256 MiB. */
const identitiesMax = 2 ** 24

/** @throws when it is interrupted: half an audit says nothing. */
export async function runAudit(
  dependencies: AuditDependencies,
  request: AuditRequest
): Promise<AuditReport> {
  const { reader, postgres, signal, progress } = dependencies
  const { topic, group, from } = request
  const all = await reader.ranges(topic)
  const committed = await dependencies.readCommitted(group, topic)
  const ranges = await rangesOf(reader, all, request)
  const reasonOf = await readCondemnedOffsets({
    ...{ reader, signal, topic, group, ranges, from },
    deadLetterTopic: deadLetterTopicOf(topic)
  })
  const tally = createAuditTally()
  const seen = createSeenIdentities(identitiesMax)
  const keptFrom = await selectKeptFrom(postgres)
  const auditing = { ...dependencies, tally, seen, reasonOf, keptFrom }
  const total = ranges.reduce((sum, range) => sum + Number(range.to - range.from), 0)

  for await (const { partition, messages, gaps } of reader.read(topic, ranges, signal)) {
    tally.addGaps(gaps)
    const behind = committed[partition] ?? -1n
    const settled = messages.filter(({ offset }) => offset < behind)
    for (let at = 0; at < settled.length; at += chunkMessages) {
      await account(settled.slice(at, at + chunkMessages), auditing)
    }
    tally.addInFlight(messages.slice(settled.length))
    progress(tally.offsets(), total)
  }
  signal.throwIfAborted()
  return reportOf(request, { all, ranges, committed, tally, isExact: !seen.isFull() })
}

async function rangesOf(
  reader: TopicReader,
  all: readonly OffsetRange[],
  { topic, from, to, isToEnd }: AuditRequest
): Promise<OffsetRange[]> {
  const starts = await reader.offsetsAt(topic, from)
  const ends = isToEnd ? [] : await reader.offsetsAt(topic, to)
  return all.map((range, index) => {
    const start = starts[index] ?? range.from
    // What came since the ends were read is for the next audit.
    const end = ends[index] === undefined || ends[index] > range.to ? range.to : ends[index]
    return { partition: range.partition, from: start, to: end > start ? end : start }
  })
}

interface Auditing extends AuditDependencies {
  readonly tally: AuditTally
  readonly seen: SeenIdentities
  readonly reasonOf: ReasonOf
  readonly keptFrom: Date | null
}

async function account(messages: readonly Message[], auditing: Auditing): Promise<void> {
  const { postgres, describe, tally, seen, reasonOf, keptFrom } = auditing
  const described = await Promise.all(messages.map(describe))
  const open = described.filter(({ message }) => {
    const reason = reasonOf(message.partition, message.offset)
    if (reason === undefined) return true
    tally.add(message, { outcome: reason === 'id_conflict' ? 'conflict' : 'dead_lettered' })
    return false
  })
  const decoded = open.flatMap((each) => (each.kind === 'decision' ? [each] : []))
  const facts = await selectStoredFacts(
    postgres,
    decoded.map(({ decision }) => decision)
  )
  for (const { message, kind } of open) {
    if (kind === 'decision') continue
    tally.add(message, { outcome: 'missing', why: 'undecodable_untold' })
  }
  for (const [index, { message, decision }] of decoded.entries()) {
    const fact = facts[index]
    if (fact === undefined) throw new Error('a look-up has fewer answers than questions')
    const isFirst = (): boolean => seen.isNew(identityNameOf(decision))
    tally.add(message, judge(decision, { facts: fact, keptFrom, isFirst }), decision)
  }
}

interface Findings {
  readonly all: readonly OffsetRange[]
  readonly ranges: readonly OffsetRange[]
  readonly committed: readonly bigint[]
  readonly tally: AuditTally
  readonly isExact: boolean
}

function reportOf(request: AuditRequest, findings: Findings): AuditReport {
  const { all, ranges, committed, tally, isExact } = findings
  const { topic, group, from, to } = request
  const { gaps, counts, missing } = tally
  const truncated = all.filter((range, index) => {
    return range.from > 0n && ranges[index]?.from === range.from
  })
  const uncommitted = ranges.filter((range) => {
    return range.to > range.from && (committed[range.partition] ?? -1n) < 0n
  })
  return {
    window: {
      ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString(), topic, group },
      partitions: all.length,
      transaction_offsets: gaps.transaction,
      absent_offsets: gaps.absent,
      deleted_offsets: gaps.deleted,
      truncated_partitions: truncated.map(({ partition }) => partition),
      uncommitted_partitions: uncommitted.map(({ partition }) => partition),
      duplicates_are_exact: isExact
    },
    offsets: tally.offsets(),
    ...counts,
    missing_records: missing
  }
}
