/** Fair queue: serves callers round robin, so that a caller with many requests mainly delays
 * itself.
 */

interface FairQueue<Entry> {
  push(caller: string, entry: Entry, at: number): void
  /** Removes and returns the oldest entry of the next caller. */
  shift(at: number): Entry | undefined
  length(): number
  /** Returns the oldest entry of the caller. */
  firstOf(caller: string): Entry | undefined
  /** Returns the time at which the next caller began to wait; null for an empty queue. */
  nextSince(): number | null
}

/** A caller that has queued entries. */
interface Waiting<Entry> {
  readonly queue: Queue<Entry>
  /** When the caller joined the queue, or was last served. */
  readonly since: number
}

export function createFairQueue<Entry>(): FairQueue<Entry> {
  /** Callers in round-robin order. */
  const callers = new Map<string, Waiting<Entry>>()
  let length = 0

  return {
    push: (caller, entry, at) => {
      const waiting = callers.get(caller) ?? { queue: createQueue<Entry>(), since: at }
      waiting.queue.push(entry)
      callers.set(caller, waiting)
      length += 1
    },
    shift: (at) => {
      const [next] = callers
      if (next === undefined) return undefined
      const [caller, { queue }] = next
      const entry = queue.shift()
      callers.delete(caller)
      if (queue.length() > 0) callers.set(caller, { queue, since: at })
      length -= 1
      return entry
    },
    length: () => length,
    firstOf: (caller) => callers.get(caller)?.queue.first(),
    nextSince: () => callers.values().next().value?.since ?? null
  }
}

/** A FIFO queue with constant-time operations. */
interface Queue<Entry> {
  push(entry: Entry): void
  shift(): Entry | undefined
  length(): number
  first(): Entry | undefined
}

/** Creates a queue from two stacks, because `Array.shift` moves all other items. */
function createQueue<Entry>(): Queue<Entry> {
  let entering: Entry[] = []
  let leaving: Entry[] = []

  function refill(): void {
    leaving = entering.reverse()
    entering = []
  }

  return {
    push: (entry) => void entering.push(entry),
    shift: () => {
      if (leaving.length === 0) refill()
      return leaving.pop()
    },
    length: () => entering.length + leaving.length,
    first: () => leaving.at(-1) ?? entering[0]
  }
}
