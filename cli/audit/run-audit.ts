/** Runs an audit: classifies every message of a window. Reads, in this order:
 *
 *     end offsets ▶ committed offsets ▶ dead-letter records ▶ messages ▶ tables
 *
 * The group writes rows and dead-letter records before it commits offsets. Reading the committed
 * offsets before both therefore guarantees that the audit sees the results of every committed
 * message.
 */
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { OffsetRange } from '../../platform/kafka/topic-fetcher.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import { deadLetterTopicOf } from '../../schemas/index.ts'
import type { DecodeRecord } from '../records/decode-record.ts'
import { createAuditTally } from './audit-tally.ts'
import type { AuditTally } from './audit-tally.ts'
import type { AuditReport } from './audit-report.ts'
import { readDeadLetteredOffsets } from './dead-lettered-offsets.ts'
import type { ReasonOf } from './dead-lettered-offsets.ts'
import { createSeenIdentities } from './seen-identities.ts'
import type { SeenIdentities } from './seen-identities.ts'
import { selectKeptFrom, selectStoredStates } from './stored-states.ts'
import { classify } from './audit-result.ts'

export interface AuditDependencies {
  readonly reader: TopicReader
  readonly postgres: Queryable
  readonly describe: DecodeRecord
  /** Returns the committed offset of each partition, or -1 for a partition that has none. */
  readonly readCommitted: (group: string, topic: string) => Promise<readonly bigint[]>
  readonly signal: AbortSignal
  /** Called with the number of audited messages and the total. */
  readonly progress: (done: number, total: number) => void
}

export interface AuditRequest {
  readonly topic: string
  /** ID of the storage group. */
  readonly group: string
  /** In milliseconds since 1970. `to` is exclusive. */
  readonly from: number
  readonly to: number
  /**
   * Whether to audit up to the end of the topic instead of `to`. A message with a future timestamp
   * would make a search by time stop too early.
   */
  readonly isToEnd: boolean
}

const chunkMessages = 1000
/** Maximum number of identities to remember. Their hashes take up to 256 MiB. */
const identitiesMax = 2 ** 24

/** @throws if interrupted, because a partial audit proves nothing */
export async function runAudit(
  dependencies: AuditDependencies,
  request: AuditRequest
): Promise<AuditReport> {
  const { reader, postgres, signal, progress } = dependencies
  const { topic, group, from } = request
  const all = await reader.ranges(topic)
  const committed = await dependencies.readCommitted(group, topic)
  const ranges = await rangesOf(reader, all, request)
  const reasonOf = await readDeadLetteredOffsets({
    reader,
    signal,
    topic,
    group,
    ranges,
    from,
    deadLetterTopic: deadLetterTopicOf(topic)
  })
  const tally = createAuditTally()
  const seen = createSeenIdentities(identitiesMax)
  const keptFrom = await selectKeptFrom(postgres)
  const audit = { ...dependencies, tally, seen, reasonOf, keptFrom }
  const total = ranges.reduce((sum, range) => sum + Number(range.to - range.from), 0)

  for await (const { partition, messages, gaps } of reader.read(topic, ranges, signal)) {
    tally.addGaps(gaps)
    const nextOffset = committed[partition] ?? -1n
    const settled = messages.filter(({ offset }) => offset < nextOffset)
    for (let at = 0; at < settled.length; at += chunkMessages) {
      await classifyChunk(settled.slice(at, at + chunkMessages), audit)
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
    // Excludes messages written after the ends were read. A later audit can include them.
    const end = ends[index] === undefined || ends[index] > range.to ? range.to : ends[index]
    return { partition: range.partition, from: start, to: end > start ? end : start }
  })
}

interface AuditState extends AuditDependencies {
  readonly tally: AuditTally
  readonly seen: SeenIdentities
  readonly reasonOf: ReasonOf
  readonly keptFrom: Date | null
}

async function classifyChunk(messages: readonly Message[], audit: AuditState): Promise<void> {
  const { postgres, describe, tally, seen, reasonOf, keptFrom } = audit
  const described = await Promise.all(messages.map(describe))
  const open = described.filter(({ message }) => {
    const reason = reasonOf(message.partition, message.offset)
    if (reason === undefined) return true
    tally.add(message, { outcome: reason === 'id_conflict' ? 'conflict' : 'dead_lettered' })
    return false
  })
  const decoded = open.flatMap((each) => (each.kind === 'decision' ? [each] : []))
  const states = await selectStoredStates(
    postgres,
    decoded.map(({ decision }) => decision)
  )
  for (const { message, kind } of open) {
    if (kind === 'decision') continue
    tally.add(message, { outcome: 'missing', why: 'undecodable_not_reported' })
  }
  for (const [index, { message, decision }] of decoded.entries()) {
    const state = states[index]
    if (state === undefined) throw new Error('the query returned fewer rows than decisions')
    const isFirst = (): boolean => seen.isNew(identityNameOf(decision))
    tally.add(message, classify(decision, { state, keptFrom, isFirst }), decision)
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
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      topic,
      group,
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
