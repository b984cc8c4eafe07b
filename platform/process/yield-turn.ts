/** Long work yields to the event loop after every millisecond of work. */

/**
 * Undefined while the current turn of the event loop has time left; otherwise a promise that
 * resolves in a later turn. `await` it between steps that take well below a millisecond each.
 */
export type YieldTurn = () => Promise<void> | undefined

export interface YieldTurnOptions {
  /** How long all callers together may work in one turn, counted from the first call in it. */
  readonly turnMs?: number
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number
}

/** Short, because a request needs about ten turns of the event loop, each with such work in it. */
const turnMsDefault = 1

export function createYieldTurn(options: YieldTurnOptions = {}): YieldTurn {
  const { turnMs = turnMsDefault, now = () => performance.now() } = options
  /** In order of arrival. Its limits are those of the callers: each waits in it at most once. */
  const waiting: (() => void)[] = []
  /** Null until the first call of a turn. */
  let endsAt: number | null = null

  function begin(): number {
    setImmediate(end)
    return (endsAt = now() + turnMs)
  }

  /** One caller continues in each turn: all at once, each would take the time of the turn. */
  function end(): void {
    endsAt = null
    const resume = waiting.shift()
    if (resume === undefined) return
    begin()
    resume()
  }

  return function yieldTurn() {
    if (now() < (endsAt ?? begin())) return undefined
    return new Promise((resolve) => waiting.push(resolve))
  }
}

/** One for the process, since it has one event loop. */
export const yieldTurn = createYieldTurn()

/** Takes the steps of long work, and lets the event loop turn between them. */
export async function runInTurns<T>(steps: Iterator<undefined, T>): Promise<T> {
  for (;;) {
    await yieldTurn()
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
