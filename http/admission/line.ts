/** A queue that serves callers round robin: a caller with many requests delays only its own. */

export interface Line<One> {
  push(caller: string, one: One): void
  /** Removes the oldest entry of the caller that is next in the round robin. */
  shift(): One | undefined
  length(): number
  /** The entry that `shift` returns next: of all callers, or of this one. */
  first(caller?: string): One | undefined
}

export function createLine<One>(): Line<One> {
  /** In the order of the round robin. */
  const lines = new Map<string, Queue<One>>()
  let length = 0

  return {
    push: (caller, one) => {
      const line = lines.get(caller) ?? createQueue<One>()
      line.push(one)
      lines.set(caller, line)
      length += 1
    },
    shift: () => {
      const [next] = lines
      if (next === undefined) return undefined
      const [caller, line] = next
      const one = line.shift()
      lines.delete(caller)
      if (line.length() > 0) lines.set(caller, line)
      length -= 1
      return one
    },
    length: () => length,
    first: (caller) => {
      const line = caller === undefined ? lines.values().next().value : lines.get(caller)
      return line?.first()
    }
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
