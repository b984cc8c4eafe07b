/** Deadline: aborts an operation after a time limit or when its caller aborts. */

export interface Deadline {
  readonly signal: AbortSignal
  /** Returns true if the time limit expired before the operation ended. */
  isOver(): boolean
  /**
   * Removes the timer and the abort listener. Call it when the operation ends, because the timer
   * can run for minutes.
   */
  clear(): void
}

/** Creates a deadline. Its signal aborts with a TimeoutError or with the caller's reason. */
export function createDeadline(timeoutMs: number, caller?: AbortSignal | null): Deadline {
  const controller = new AbortController()
  let isOver = false
  const giveUp = (): void => controller.abort(caller?.reason)
  const timer = setTimeout(() => {
    isOver = true
    controller.abort(new DOMException(`not finished within ${timeoutMs} ms`, 'TimeoutError'))
  }, timeoutMs)
  if (caller?.aborted) giveUp()
  else caller?.addEventListener('abort', giveUp, { once: true })

  return {
    signal: controller.signal,
    isOver: () => isOver,
    clear() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', giveUp)
    }
  }
}
