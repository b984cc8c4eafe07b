/** A line in which callers take turns: whoever has many in it waits for his own. */

export interface Line<One> {
  push(caller: string, one: One): void
  /** The first of the caller who was served longest ago. */
  shift(): One | undefined
  length(): number
  /** Who leaves next of all, or of this caller. */
  first(caller?: string): One | undefined
}

export function createLine<One>(): Line<One> {
  /** In the order of their turns. */
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
