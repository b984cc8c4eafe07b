/** Runs tasks in time slices of a few milliseconds and returns to the event loop in between. Tasks
 * that do not fit in a time slice are queued, round robin by caller.
 */
import { createFairQueue } from './fair-queue.ts'

interface SchedulerOptions {
  readonly sliceMs: number
  readonly now: () => number
  /** Called at the end of a time slice, before the process reads new input. */
  readonly onEnd: () => void
}

interface Scheduler {
  /** Begins a time slice unless one is running. */
  begin(at: number): void
  /** Runs the task now, or queues it. */
  take(at: number, caller: string, task: () => void): void
  /** Returns the number of queued tasks. */
  waiting(): number
  /** Returns how long the oldest task of the caller has waited, in milliseconds. */
  waitedMs(at: number, caller: string): number
  /** Returns how long the next caller has waited, in milliseconds. */
  nextWaitedMs(at: number): number
}

interface Waiting {
  readonly task: () => void
  readonly since: number
}

export function createScheduler({ sliceMs, now, onEnd }: SchedulerOptions): Scheduler {
  const queue = createFairQueue<Waiting>()
  /** Zero between time slices. */
  let endsAt = 0

  function begin(at: number): void {
    if (endsAt > 0) return
    endsAt = at + sliceMs
    setImmediate(end)
  }

  function end(): void {
    endsAt = 0
    onEnd()
    if (queue.length() === 0) return
    begin(now())
    runQueue()
  }

  function runQueue(): void {
    if (now() >= endsAt) return
    const waiting = queue.shift(now())
    if (waiting === undefined) return
    waiting.task()
    queueMicrotask(runQueueSoon)
  }

  /**
   * Runs the queue on the tick after the current microtasks. A tick scheduled by the task itself
   * would run before the task's own continuation.
   */
  function runQueueSoon(): void {
    process.nextTick(runQueue)
  }

  return {
    begin,
    take: (at, caller, task) => {
      if (queue.length() === 0 && at < endsAt) task()
      else queue.push(caller, { task, since: at }, at)
    },
    waiting: queue.length,
    waitedMs: (at, caller) => at - (queue.firstOf(caller)?.since ?? at),
    nextWaitedMs: (at) => at - (queue.nextSince() ?? at)
  }
}
