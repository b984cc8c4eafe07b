/** Lets so many pieces of work go on at once; the others wait for their turn, first come first. */

/** Begins `work` when it is its turn, and settles as it does. */
export type AtMost = <R>(work: () => Promise<R>) => Promise<R>

export function createAtMost(workMax: number): AtMost {
  const waiting: (() => void)[] = []
  let underWay = 0

  return async function atMost(work) {
    if (underWay >= workMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else underWay += 1
    try {
      return await work()
    } finally {
      // Who waits takes the place over, so that nobody who comes now slips in between.
      const next = waiting.shift()
      if (next === undefined) underWay -= 1
      else next()
    }
  }
}
