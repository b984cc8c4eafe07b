/** Runs an audit: classifies every message of a window. Reads, in this order:
 *
 *     end offsets ▶ committed offsets ▶ dead-letter records ▶ messages ▶ tables
 *
 * It reads the last three slice by slice, from the end of the window to its start.
 *
 * The group writes rows and dead-letter records before it commits offsets. Reading the committed
 * offsets before both therefore guarantees that the audit sees the results of every committed
 * message.
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { OffsetRange } from '../../platform/kafka/topic-fetcher.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import type { Decode } from '../../platform/registry/decode.ts'
import { deadLetterTopicOf } from '../../schemas/index.ts'
import { createAuditBudget } from './audit-budget.ts'
import { createAuditTally } from './audit-tally.ts'
import type { AuditTally } from './audit-tally.ts'
import { classifyMessages } from './classify-messages.ts'
import type { ClassifyOptions } from './classify-messages.ts'
import { findDeadLetteredOffsets } from './dead-lettered-offsets.ts'
import type { DeadLetteredOffsets, DeadLetterLimits } from './dead-lettered-offsets.ts'
import { createOrganizationSlots } from './organization-slots.ts'
import type { OrganizationSlots } from './organization-slots.ts'
import { createSeenIdentities } from './seen-identities.ts'
import { selectKeptFrom } from './stored-states.ts'

export interface AuditDependencies {
  readonly reader: TopicReader
  readonly postgres: Queryable
  readonly decode: Decode<Decision>
  /** Returns the committed offset of each partition, or -1 for a partition that has none. */
  readonly readCommitted: (group: string, topic: string) => Promise<readonly bigint[]>
  readonly signal: AbortSignal
  /** Called with the number of audited messages and the total. */
  readonly progress?: (done: number, total: number) => void
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
  readonly limits?: AuditLimits
}

/**
 * The limits of an audit. If the window exceeds a limit of bytes or dead letters, its beginning is
 * not audited. The last second is always audited, and its bytes do not count.
 */
interface AuditLimits extends DeadLetterLimits {
  /** Maximum bytes of messages to read. The same maximum applies to dead-letter records. */
  readonly bytesMax: number
  /** Maximum number of identities to remember. At a power of two, each takes up to 16 bytes. */
  readonly identitiesMax: number
  /** Maximum number of organizations to count separately. */
  readonly organizationsMax: number
  /** Organizations that are counted even if others come first, at most `organizationsMax`. */
  readonly preferredOrganizations?: ReadonlySet<string>
}

/** What an audit found in the window. */
export interface Audit {
  /** Start of the audited window, in milliseconds since 1970. */
  readonly from: number
  /** Offsets by partition: those in the topic (`available`), and those audited (`ranges`). */
  readonly available: readonly OffsetRange[]
  readonly ranges: readonly OffsetRange[]
  readonly committed: readonly bigint[]
  readonly tally: AuditTally
  /** False if some duplicates may count as stored. */
  readonly duplicatesAreExact: boolean
  /** False if there were too many organizations to count each of them. */
  readonly everyOrganizationIsCounted: boolean
}

const noLimits: AuditLimits = {
  bytesMax: Infinity,
  identitiesMax: 2 ** 24,
  organizationsMax: 0,
  deadLettersMax: Infinity,
  clockSkewMs: 3_600_000
}
const firstSliceMs = 1000

/** @throws if interrupted */
export async function runAudit(
  dependencies: AuditDependencies,
  request: AuditRequest
): Promise<Audit> {
  const { reader, postgres, signal } = dependencies
  const { topic, group, limits = noLimits } = request
  const available = await reader.ranges(topic)
  const committed = await dependencies.readCommitted(group, topic)
  const ends = await endsOf(reader, available, request)
  const window = await rangesFrom(reader, { topic, time: request.from, ends })
  const deadLetterTopic = deadLetterTopicOf(topic)
  const query = { reader, signal, topic, deadLetterTopic, group, ranges: window, limits }
  const deadLetters = await findDeadLetteredOffsets(query)
  const seen = createSeenIdentities(limits.identitiesMax)
  const slots = createOrganizationSlots(limits.organizationsMax, limits.preferredOrganizations)
  const keptFrom = await selectKeptFrom(postgres)
  const total = window.reduce((sum, range) => sum + Number(range.to - range.from), 0)
  let done = 0
  const onRead = (messages: number): void => dependencies.progress?.((done += messages), total)
  const options = { ...dependencies, topic, committed, seen, slots, deadLetters, keptFrom, onRead }
  const audited = await auditSlices(options, request, ends)
  const duplicatesAreExact = !seen.isFull()
  const everyOrganizationIsCounted = !slots.areExhausted()
  return { ...audited, available, committed, duplicatesAreExact, everyOrganizationIsCounted }
}

interface SliceOptions extends Omit<ClassifyOptions, 'tally' | 'budget' | 'reasonOf'> {
  readonly deadLetters: DeadLetteredOffsets
  readonly slots: OrganizationSlots
}

/**
 * Audits the window in slices that start earlier and earlier, until the start of the window or a
 * limit is reached. A slice that exceeds a limit does not count. The first slice has no limit:
 * otherwise, one burst of large messages could stop all audits.
 */
async function auditSlices(
  options: SliceOptions,
  { topic, from: start, to, limits = noLimits }: AuditRequest,
  ends: readonly bigint[]
) {
  const { reader, deadLetters, slots, signal } = options
  const { reasonOf } = deadLetters
  const tally = createAuditTally(slots)
  const bytes = createAuditBudget(limits.bytesMax)
  let audited = { from: to, starts: ends }
  for (const from of sliceStarts(start, to, limits)) {
    const isRequired = audited.starts === ends
    const ranges = await rangesFrom(reader, { topic, time: from, ends: audited.starts })
    const slice = createAuditTally(slots)
    const budget = isRequired ? null : bytes
    const isWhole =
      (await deadLetters.read({ from, ranges, isRequired })) &&
      (await classifyMessages(ranges, { ...options, reasonOf, tally: slice, budget }))
    signal.throwIfAborted()
    if (!isWhole) break
    tally.addTally(slice)
    audited = { from, starts: ranges.map((range) => range.from) }
  }
  const { from, starts } = audited
  const ranges = ends.map((end, partition) => ({
    partition,
    from: starts[partition] ?? end,
    to: end
  }))
  return { from, tally, ranges }
}

/** Returns one start without a byte limit, else those of the last 1, 3, 7 … seconds. */
function sliceStarts(from: number, to: number, { bytesMax }: AuditLimits): number[] {
  if (bytesMax === Infinity) return [from]
  const starts: number[] = []
  for (let ms = firstSliceMs; to - ms > from; ms = 2 * ms + firstSliceMs) starts.push(to - ms)
  return [...starts, from]
}

/** Excludes messages written after the ends were read. A later audit can include them. */
async function endsOf(
  reader: TopicReader,
  available: readonly OffsetRange[],
  { topic, to, isToEnd }: AuditRequest
): Promise<bigint[]> {
  const found = isToEnd ? [] : await reader.offsetsAt(topic, to)
  return available.map((range, partition) => lesser(found[partition], range.to))
}

interface RangeQuery {
  readonly topic: string
  readonly time: number
  readonly ends: readonly bigint[]
}

/** Returns the ranges of the messages from the time up to `ends`. */
async function rangesFrom(
  reader: TopicReader,
  { topic, time, ends }: RangeQuery
): Promise<OffsetRange[]> {
  const starts = await reader.offsetsAt(topic, time)
  return ends.map((to, partition) => ({ partition, from: lesser(starts[partition], to), to }))
}

function lesser(offset: bigint | undefined, other: bigint): bigint {
  return offset === undefined || offset > other ? other : offset
}
