/** What batches of a partition, as a broker hands them out, are to a reader: messages and gaps. */
import type { Message } from './message-consumer.ts'
import type { Gap, GapKind, OffsetRange, Stretch } from './log-fetcher.ts'

/** A batch of the log, uncompressed; its offsets run from `firstOffset` to that and the delta. */
export interface LogBatch {
  readonly firstOffset: bigint
  readonly lastOffsetDelta: number
  readonly attributes: number
  readonly firstTimestamp: bigint
  readonly maxTimestamp: bigint
  readonly producerId: bigint
  readonly records: readonly LogRecord[]
}

export interface LogRecord {
  readonly offsetDelta: number
  readonly timestampDelta: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [Buffer | null, Buffer | null])[]
}

/** A transaction that was given up: what its producer wrote from there on does not count. */
export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

export interface ReadBatchesOptions {
  readonly topic: string
  /** A batch may begin before it and end behind it; what is outside is left out. */
  readonly range: OffsetRange
  readonly aborted: readonly AbortedTransaction[]
}

const appendTimeBit = 1 << 3
const transactionBit = 1 << 4
const controlBit = 1 << 5
const abortMarker = 0
const markerTypeAt = 2

/** Up to the end of the last batch; an empty stretch when there is none. */
export function readBatches(batches: readonly LogBatch[], options: ReadBatchesOptions): Stretch {
  const { topic, range, aborted } = options
  const messages: Message[] = []
  const gaps: Gap[] = []
  const isVoid = createIsVoid(aborted)
  let next = range.from

  /** Nothing between `next` and there; what lies outside of the range is nobody's concern. */
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
    // The client leaves batches of transactions that were given up out, now and then.
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

/** Judges batches in their order: whether one is a marker, or was given up. */
function createIsVoid(aborted: readonly AbortedTransaction[]) {
  const pending = aborted.toSorted((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1))
  const open = new Set<bigint>()

  return function isVoid(batch: LogBatch, end: bigint): boolean {
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

function isAbort({ records }: LogBatch): boolean {
  const key = records[0]?.key
  return key?.readInt16BE(markerTypeAt) === abortMarker
}

type Place = Pick<Message, 'topic' | 'partition'>

/** A header that was sent more than once counts with its last value, as for a consumer. */
function messageOf(record: LogRecord, batch: LogBatch, place: Place): Message {
  const { key, value, headers, offsetDelta, timestampDelta } = record
  const isAppendTime = (batch.attributes & appendTimeBit) !== 0
  const timestamp = isAppendTime ? batch.maxTimestamp : batch.firstTimestamp + timestampDelta
  const pairs = headers.map(([name, text]) => [String(name ?? ''), text ?? ''] as const)
  return {
    ...place,
    offset: batch.firstOffset + BigInt(offsetDelta),
    ...{ key, value, headers: Object.fromEntries(pairs), timestamp: Number(timestamp) }
  }
}
