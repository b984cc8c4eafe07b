/** Whether the process works on batches of the topic: deferred decisions give way to them. */

export interface FirstLane {
  /** The lane is busy until the work ends. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when it is not busy, and after so many milliseconds. */
  idle(mostMs: number): Promise<void>
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
    async idle(mostMs) {
      if (working === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, mostMs)
      await Promise.race([idle.promise, promise])
      clearTimeout(timer)
    }
  }
}
