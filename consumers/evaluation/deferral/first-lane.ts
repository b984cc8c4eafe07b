/** Gives batches priority over deferred decisions, which wait while a batch is processed. */

export interface FirstLane {
  /** Runs the work of a batch and keeps the lane busy until the work ends. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when the lane is idle, or after `waitMsMax` if it is still busy. */
  idle(waitMsMax: number): Promise<void>
}

export function createFirstLane(): FirstLane {
  let working = 0
  let idle = Promise.withResolvers<void>()

  return {
    async during(work) {
      working += 1
      try {
        return await work()
      } finally {
        working -= 1
        if (working === 0) {
          idle.resolve()
          idle = Promise.withResolvers()
        }
      }
    },
    async idle(waitMsMax) {
      if (working === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, waitMsMax)
      await Promise.race([idle.promise, promise])
      clearTimeout(timer)
    }
  }
}
