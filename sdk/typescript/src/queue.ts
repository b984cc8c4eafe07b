/** Queue of unsent decisions, including those in flight, with limits on items and bytes.
 *
 * `fresh` holds decisions that have never been sent, in logging order. `returned` holds batches to
 * retry, which are sent before fresh decisions as soon as they are due.
 */
import type { Settings } from './options.ts'

export interface Entry {
  readonly decisionId: string
  readonly text: string
  readonly bytes: number
  readonly agentId: string | undefined
  /** Position in logging order. A flush waits for entries up to a certain sequence. */
  readonly sequence: number
  /** Number of failed attempts. */
  attempts: number
  /** Time of the first attempt, in milliseconds of the platform clock; undefined before it. */
  firstTriedAt: number | undefined
}

export interface Batch {
  /** Batch id. Undefined before the first attempt, and again after the entries change. */
  id: string | undefined
  /** Number of attempts with the current batch id. */
  attempt: number
  /** Earliest time of the next attempt, in milliseconds of the platform clock. */
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
  /** Number of decisions, including those in flight. */
  items: number
  bytes: number
  /** Index of the first entry in `fresh` that has not been taken. */
  head: number
  readonly fresh: (Entry | undefined)[]
  freshBytes: number
  readonly returned: Batch[]
  flightItems: number
  flightBytes: number
}

/** Number of taken entries after which `fresh` is compacted. */
const clearAfter = 1024

export function createQueue(limits: QueueLimits): Queue {
  const counts = { items: 0, bytes: 0, freshBytes: 0, flightItems: 0, flightBytes: 0 }
  return { limits, ...counts, head: 0, fresh: [], returned: [] }
}

export function freshCount(queue: Queue): number {
  return queue.fresh.length - queue.head
}

/**
 * Adds an entry. Returns the entries evicted to make room, or the entry itself if it does not fit.
 */
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

/** Takes the next batch and marks it as in flight. Returns undefined if no batch is due. */
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

/**
 * Adds fresh entries to the batch up to the limits. An entry costs its size plus a comma. The first
 * entry is added regardless of its size.
 */
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

/** Puts a batch that was in flight back at the front of the queue. */
export function putBack(queue: Queue, batch: Batch): void {
  queue.flightItems -= batch.entries.length
  queue.flightBytes -= bytesOf(batch.entries)
  queue.returned.unshift(batch)
}

/** Removes an entry in flight, because it was delivered or dropped. */
export function release(queue: Queue, entry: Entry): void {
  queue.flightItems--
  queue.flightBytes -= entry.bytes
  queue.items--
  queue.bytes -= entry.bytes
}

/** Removes and returns all waiting entries. Entries in flight stay. */
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
