/** Repeats work until it is stopped: soon while there is more of it, else after a pause. */

export interface KeepGoingOptions {
  /** @returns whether there is more to do already. */
  readonly work: () => Promise<boolean>
  readonly idleMs: number
  readonly onError: (error: unknown) => void
}

export interface Going {
  /** There is something to do: the pause ends. */
  nudge(): void
  /** Resolves when the work under way has ended. */
  stop(): Promise<void>
}

/** Between two rounds, however much there is to do. */
const soonMs = 10
/** Of the pause, so that several processes drift apart. */
const jitter = 0.2

export function keepGoing({ work, idleMs, onError }: KeepGoingOptions): Going {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let isNudged = false
  let isStopped = false

  function begin(): void {
    isNudged = false
    running = round().finally(() => (running = null))
  }

  async function round(): Promise<void> {
    let isMore = false
    try {
      isMore = await work()
    } catch (error) {
      onError(error)
    }
    if (isStopped) return
    const pauseMs = idleMs * (1 + jitter * Math.random())
    timer = setTimeout(begin, isMore || isNudged ? soonMs : pauseMs)
  }

  begin()
  return {
    nudge: () => {
      isNudged = true
      if (running !== null || isStopped) return
      clearTimeout(timer)
      timer = setTimeout(begin, soonMs)
    },
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    }
  }
}
