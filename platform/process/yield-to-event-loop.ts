/** Yields to the event loop after every millisecond of work. */

/**
 * Returns undefined while the current event-loop iteration has time left, otherwise a promise that
 * resolves in a later iteration. Await it between steps of well under a millisecond.
 */
type YieldToEventLoop = () => Promise<void> | undefined

interface YieldToEventLoopOptions {
  /** Time per iteration for all callers together, counted from the first call. Default: 1 ms. */
  readonly turnMs?: number
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/**
 * Default for `turnMs`. It is short, because a request needs about ten iterations of the event
 * loop, and long work can take this time in each of them.
 */
const turnMsDefault = 1

export function createYieldToEventLoop(options: YieldToEventLoopOptions = {}): YieldToEventLoop {
  const { turnMs = turnMsDefault, now = () => performance.now() } = options
  /**
   * Waiting callers, in order of arrival. Each caller has at most one entry, so limits on
   * concurrent callers bound the length.
   */
  const waiting: (() => void)[] = []
  /** Null until the first call in an iteration. */
  let endsAt: number | null = null

  function begin(): number {
    setImmediate(end)
    return (endsAt = now() + turnMs)
  }

  /**
   * Begins the next iteration and resumes one caller. It resumes only one, because each caller may
   * use the whole time of the iteration.
   */
  function end(): void {
    endsAt = null
    const resume = waiting.shift()
    if (resume === undefined) return
    begin()
    resume()
  }

  return function yieldToEventLoop() {
    if (now() < (endsAt ?? begin())) return undefined
    return new Promise((resolve) => waiting.push(resolve))
  }
}

/** Shared by the whole process, because it has one event loop. */
export const yieldToEventLoop = createYieldToEventLoop()

/** Runs the steps of long work and yields to the event loop between them. */
export async function runStepsYielding<T>(steps: Iterator<undefined, T>): Promise<T> {
  for (;;) {
    await yieldToEventLoop()
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
