/** What waits to be sent, bounded by items and bytes; what is on its way counts as well.
 *
 * `fresh` are decisions that were never sent, in the order of their logging. `returned` are batches
 * that have to be sent again, and go first.
 */
import type { Settings } from './options.ts'

export interface Entry {
  readonly decisionId: string
  readonly text: string
  readonly bytes: number
  readonly agentId: string | undefined
  /** Counts the decisions of a client: those logged before a flush have a smaller one. */
  readonly sequence: number
  /** Attempts that failed. */
  attempts: number
  /** On the clock of the platform; undefined before the first attempt. */
  firstTriedAt: number | undefined
}

export interface Batch {
  /** Undefined until it is sent, and whenever its entries change. */
  id: string | undefined
  /** How often it was sent under this id. */
  attempt: number
  /** On the clock of the platform. */
  readonly notBefore: number
  readonly entries: Entry[]
}

export interface BatchLimits {
  readonly maxItems: number
  readonly maxBytes: number
}

export type QueueLimits = Pick<Settings, 'queueMaxItems' | 'queueMaxBytes' | 'queuePolicy'>

export interface Queue {
  readonly limits: QueueLimits
  /** All that is here, what is on its way included. */
  items: number
  bytes: number
  /** Where `fresh` begins: what lies before it was taken. */
  head: number
  readonly fresh: (Entry | undefined)[]
  freshBytes: number
  readonly returned: Batch[]
  flightItems: number
  flightBytes: number
}

/** Entries that are taken are cleared out once there are this many. */
const clearAfter = 1024

export function createQueue(limits: QueueLimits): Queue {
  const counts = { items: 0, bytes: 0, freshBytes: 0, flightItems: 0, flightBytes: 0 }
  return { limits, ...counts, head: 0, fresh: [], returned: [] }
}

export function freshCount(queue: Queue): number {
  return queue.fresh.length - queue.head
}

/** Adds an entry; returns whatever had to go for it, or the entry itself when it found no room. */
export function offer(queue: Queue, entry: Entry): readonly Entry[] {
  const { queueMaxItems, queueMaxBytes, queuePolicy } = queue.limits
  const gone: Entry[] = []
  if (!hasRoom(queue, entry)) {
    const isHopeless =
      queuePolicy === 'drop-newest' ||
      queue.flightItems >= queueMaxItems ||
      queue.flightBytes + entry.bytes > queueMaxBytes
    if (isHopeless) return [entry]
    while (!hasRoom(queue, entry)) gone.push(takeOldest(queue))
  }
  queue.fresh.push(entry)
  queue.freshBytes += entry.bytes
  queue.items++
  queue.bytes += entry.bytes
  return gone
}

function hasRoom(queue: Queue, entry: Entry): boolean {
  const { queueMaxItems, queueMaxBytes } = queue.limits
  return queue.items < queueMaxItems && queue.bytes + entry.bytes <= queueMaxBytes
}

function takeOldest(queue: Queue): Entry {
  const [batch] = queue.returned
  const entry = batch === undefined ? shiftFresh(queue) : batch.entries.shift()
  if (entry === undefined) throw new Error('the queue lost count')
  if (batch !== undefined) {
    batch.id = undefined
    if (batch.entries.length === 0) queue.returned.shift()
  }
  queue.items--
  queue.bytes -= entry.bytes
  return entry
}

function shiftFresh(queue: Queue): Entry | undefined {
  const entry = queue.fresh[queue.head]
  if (entry === undefined) return undefined
  queue.fresh[queue.head] = undefined
  queue.head++
  queue.freshBytes -= entry.bytes
  if (queue.head === queue.fresh.length || queue.head >= clearAfter) {
    queue.fresh.splice(0, queue.head)
    queue.head = 0
  }
  return entry
}

/** The batch to be sent next, which is on its way from now on; undefined when none is due. */
export function take(queue: Queue, limits: BatchLimits, now: number): Batch | undefined {
  const index = queue.returned.findIndex(({ notBefore }) => notBefore <= now)
  const [returned] = index < 0 ? [] : queue.returned.splice(index, 1)
  const batch = returned ?? { id: undefined, attempt: 0, notBefore: 0, entries: [] }
  if (batch.entries.length > limits.maxItems) split(queue, batch, limits.maxItems)
  if (batch.id === undefined) {
    batch.attempt = 0
    fill(queue, batch, limits)
  }
  if (batch.entries.length === 0) return undefined
  queue.flightItems += batch.entries.length
  queue.flightBytes += bytesOf(batch.entries)
  return batch
}

function split(queue: Queue, batch: Batch, maxItems: number): void {
  const rest = batch.entries.splice(maxItems)
  queue.returned.unshift({ ...batch, id: undefined, entries: rest })
  batch.id = undefined
}

/** Each entry takes a comma, too; the first one is taken whatever its size. */
function fill(queue: Queue, batch: Batch, { maxItems, maxBytes }: BatchLimits): void {
  const { entries } = batch
  let bytes = bytesOf(entries) + entries.length
  while (entries.length < maxItems) {
    const next = queue.fresh[queue.head]
    if (next === undefined) return
    bytes += next.bytes + 1
    if (bytes > maxBytes && entries.length > 0) return
    shiftFresh(queue)
    entries.push(next)
  }
}

function bytesOf(entries: readonly Entry[]): number {
  let bytes = 0
  for (const entry of entries) bytes += entry.bytes
  return bytes
}

/** What was on its way waits again, at the front. */
export function putBack(queue: Queue, batch: Batch): void {
  queue.flightItems -= batch.entries.length
  queue.flightBytes -= bytesOf(batch.entries)
  queue.returned.unshift(batch)
}

/** What was on its way is gone: it arrived, or was given up. */
export function release(queue: Queue, entry: Entry): void {
  queue.flightItems--
  queue.flightBytes -= entry.bytes
  queue.items--
  queue.bytes -= entry.bytes
}

/** Everything that waits, taken out; what is on its way stays. */
export function takeAll(queue: Queue): Entry[] {
  const fresh = queue.fresh.filter((entry) => entry !== undefined)
  const all = [...queue.returned.flatMap(({ entries }) => entries), ...fresh]
  queue.returned.length = 0
  queue.fresh.length = 0
  queue.head = 0
  queue.freshBytes = 0
  queue.items = queue.flightItems
  queue.bytes = queue.flightBytes
  return all
}
