/** A line of those who wait: first in, first out, and short at both ends. */

export interface Line<One> {
  push(one: One): void
  shift(): One | undefined
  length(): number
  /** Who leaves next. */
  first(): One | undefined
}

/** Two stacks, since Array.shift moves everything that follows. */
export function createLine<One>(): Line<One> {
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
