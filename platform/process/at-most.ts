/** Concurrency limit: runs up to N tasks at a time and queues the others in order of arrival. */

/** Runs `work` as soon as a slot is free, and returns its result. */
type AtMost = <R>(work: () => Promise<R>) => Promise<R>

export function createAtMost(workMax: number): AtMost {
  const waiting: (() => void)[] = []
  let underWay = 0

  return async function atMost(work) {
    if (underWay >= workMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else underWay += 1
    try {
      return await work()
    } finally {
      // Hands the slot to the next waiting task, so that a newer task cannot take it first.
      const next = waiting.shift()
      if (next === undefined) underWay -= 1
      else next()
    }
  }
}
