/** A line of those who wait: first in, first out, and short at both ends. */

export interface Line<One> {
  push(one: One): void
  shift(): One | undefined
  length(): number
}

/** Two stacks, since Array.shift moves everything that follows. */
export function createLine<One>(): Line<One> {
  let entering: One[] = []
  let leaving: One[] = []

  return {
    push: (one) => void entering.push(one),
    shift: () => {
      if (leaving.length === 0) {
        leaving = entering.reverse()
        entering = []
      }
      return leaving.pop()
    },
    length: () => entering.length + leaving.length
  }
}
