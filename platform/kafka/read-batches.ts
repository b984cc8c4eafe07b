/** Converts the record batches fetched from a partition into messages and gaps. */
import type { Message } from './message-consumer.ts'
import type { Gap, GapKind, OffsetRange, FetchedRange } from './topic-fetcher.ts'

/**
 * A record batch, decompressed by the client. It covers the offsets from `firstOffset` to
 * `firstOffset` + `lastOffsetDelta`.
 */
export interface FetchedBatch {
  readonly firstOffset: bigint
  readonly lastOffsetDelta: number
  readonly attributes: number
  readonly firstTimestamp: bigint
  readonly maxTimestamp: bigint
  readonly producerId: bigint
  readonly records: readonly FetchedRecord[]
}

export interface FetchedRecord {
  readonly offsetDelta: number
  readonly timestampDelta: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [Buffer | null, Buffer | null])[]
}

/**
 * An aborted transaction. Consumers ignore the transactional records of its producer from
 * `firstOffset` to the abort marker.
 */
export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

interface ReadBatchesOptions {
  readonly topic: string
  /** Only offsets in this range are returned. A batch can extend beyond the range on both sides. */
  readonly range: OffsetRange
  readonly aborted: readonly AbortedTransaction[]
}

const appendTimeBit = 1 << 3
const transactionBit = 1 << 4
const controlBit = 1 << 5
const abortMarker = 0
const markerTypeAt = 2

/**
 * Returns the messages and gaps up to the end of the last batch, or an empty range if there is no
 * batch.
 */
export function readBatches(
  batches: readonly FetchedBatch[],
  options: ReadBatchesOptions
): FetchedRange {
  const { topic, range, aborted } = options
  const messages: Message[] = []
  const gaps: Gap[] = []
  const isVoid = createIsVoid(aborted)
  let next = range.from

  /** Moves `next` to `offset`, limited to the range, and records the skipped offsets as a gap. */
  function passTo(offset: bigint, kind: GapKind): void {
    const to = offset < range.to ? offset : range.to
    if (to <= next) return
    const last = gaps.at(-1)
    const isLonger = last?.kind === kind && last.to === next
    const gap = { partition: range.partition, from: isLonger ? last.from : next, to, kind }
    gaps.splice(isLonger ? -1 : gaps.length, 1, gap)
    next = to
  }

  for (const batch of batches) {
    const end = batch.firstOffset + BigInt(batch.lastOffsetDelta) + 1n
    // The client omits some batches of aborted transactions. A gap before a batch is therefore
    // attributed to an aborted transaction if one began at an earlier offset.
    const isCut = aborted.some(({ firstOffset }) => firstOffset < batch.firstOffset)
    passTo(batch.firstOffset, isCut ? 'transaction' : 'absent')
    if (isVoid(batch, end)) {
      passTo(end, 'transaction')
      continue
    }
    for (const record of batch.records) {
      const message = messageOf(record, batch, { topic, partition: range.partition })
      if (message.offset < next || message.offset >= range.to) continue
      passTo(message.offset, 'absent')
      messages.push(message)
      next = message.offset + 1n
    }
    passTo(end, 'absent')
  }
  return { partition: range.partition, from: range.from, to: next, messages, gaps }
}

/**
 * Returns a function that checks whether a batch is a control batch or belongs to an aborted
 * transaction. Call it with every batch, in order.
 */
function createIsVoid(aborted: readonly AbortedTransaction[]) {
  const pending = aborted.toSorted((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1))
  const open = new Set<bigint>()

  return function isVoid(batch: FetchedBatch, end: bigint): boolean {
    while (pending[0] !== undefined && pending[0].firstOffset < end) {
      open.add(pending[0].producerId)
      pending.shift()
    }
    if ((batch.attributes & controlBit) !== 0) {
      if (isAbort(batch)) open.delete(batch.producerId)
      return true
    }
    return (batch.attributes & transactionBit) !== 0 && open.has(batch.producerId)
  }
}

function isAbort({ records }: FetchedBatch): boolean {
  const key = records[0]?.key
  return key?.readInt16BE(markerTypeAt) === abortMarker
}

type Place = Pick<Message, 'topic' | 'partition'>

/** Converts a record. If a header is repeated, its last value is used, as in the consumer. */
function messageOf(record: FetchedRecord, batch: FetchedBatch, place: Place): Message {
  const { key, value, headers, offsetDelta, timestampDelta } = record
  const isAppendTime = (batch.attributes & appendTimeBit) !== 0
  const timestamp = isAppendTime ? batch.maxTimestamp : batch.firstTimestamp + timestampDelta
  const pairs = headers.map(([name, text]) => [String(name ?? ''), text ?? ''] as const)
  return {
    ...place,
    offset: batch.firstOffset + BigInt(offsetDelta),
    key,
    value,
    headers: Object.fromEntries(pairs),
    timestamp: Number(timestamp)
  }
}
