/** The time that one piece of work may take, which also ends when its caller gives up. */

export interface Deadline {
  readonly signal: AbortSignal
  /** Whether it was the time that ended it. */
  isOver(): boolean
  /** To be called when the work has ended: timer and listener would outlive it for minutes. */
  clear(): void
}

/** The signal's reason is a TimeoutError, or the caller's own. */
export function createDeadline(timeoutMs: number, caller?: AbortSignal | null): Deadline {
  const controller = new AbortController()
  let isOver = false
  const giveUp = (): void => controller.abort(caller?.reason)
  const timer = setTimeout(() => {
    isOver = true
    controller.abort(new DOMException(`not within ${timeoutMs} ms`, 'TimeoutError'))
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
