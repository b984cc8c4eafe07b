/** A queue that serves callers round robin: a caller with many requests delays only its own. */

export interface Line<One> {
  push(caller: string, one: One, at: number): void
  /** Removes the oldest entry of the caller that is next in the round robin. */
  shift(at: number): One | undefined
  length(): number
  /** The oldest entry of the caller. */
  firstOf(caller: string): One | undefined
  /** Since when the caller that is next waits for its turn; null for an empty queue. */
  nextSince(): number | null
}

/** A caller with its requests. */
interface Waiting<One> {
  readonly queue: Queue<One>
  /** When it came, or had its last turn. */
  readonly since: number
}

export function createLine<One>(): Line<One> {
  /** In the order of the round robin. */
  const callers = new Map<string, Waiting<One>>()
  let length = 0

  return {
    push: (caller, one, at) => {
      const waiting = callers.get(caller) ?? { queue: createQueue<One>(), since: at }
      waiting.queue.push(one)
      callers.set(caller, waiting)
      length += 1
    },
    shift: (at) => {
      const [next] = callers
      if (next === undefined) return undefined
      const [caller, { queue }] = next
      const one = queue.shift()
      callers.delete(caller)
      if (queue.length() > 0) callers.set(caller, { queue, since: at })
      length -= 1
      return one
    },
    length: () => length,
    firstOf: (caller) => callers.get(caller)?.queue.first(),
    nextSince: () => callers.values().next().value?.since ?? null
  }
}

/** First in, first out, and short at both ends. */
interface Queue<One> {
  push(one: One): void
  shift(): One | undefined
  length(): number
  first(): One | undefined
}

/** Two stacks, since Array.shift moves everything that follows. */
function createQueue<One>(): Queue<One> {
  let entering: One[] = []
  let leaving: One[] = []

  function turn(): void {
    leaving = entering.reverse()
    entering = []
  }

  return {
    push: (one) => void entering.push(one),
    shift: () => {
      if (leaving.length === 0) turn()
      return leaving.pop()
    },
    length: () => entering.length + leaving.length,
    first: () => leaving.at(-1) ?? entering[0]
  }
}
