/** Runs tasks for a few milliseconds, then returns to the event loop. Tasks that do not fit are
 *  queued, round robin by caller. */
import { createLine } from './line.ts'

export interface TurnOptions {
  readonly turnMs: number
  readonly now: () => number
  /** Called when a turn is over and the process turns to what has come. */
  readonly onEnd: () => void
}

export interface Turns {
  /** Something has come: the turn begins, unless one is under way. */
  begin(at: number): void
  /** Runs the task now, or in its turn. */
  take(at: number, caller: string, task: () => void): void
  /** Tasks in line. */
  waiting(): number
  /** How long the oldest task of the caller has waited. */
  waitedMs(at: number, caller: string): number
  /** How long the caller that is next has waited for its turn. */
  turnWaitedMs(at: number): number
}

interface Waiting {
  readonly task: () => void
  readonly since: number
}

export function createTurns({ turnMs, now, onEnd }: TurnOptions): Turns {
  const line = createLine<Waiting>()
  /** Zero between two turns. */
  let endsAt = 0

  function begin(at: number): void {
    if (endsAt > 0) return
    endsAt = at + turnMs
    setImmediate(end)
  }

  function end(): void {
    endsAt = 0
    onEnd()
    if (line.length() === 0) return
    begin(now())
    runLine()
  }

  function runLine(): void {
    if (now() >= endsAt) return
    const waiting = line.shift(now())
    if (waiting === undefined) return
    waiting.task()
    queueMicrotask(runLineSoon)
  }

  /** Ticks go before microtasks: a tick alone would come before the work of the last task. */
  function runLineSoon(): void {
    process.nextTick(runLine)
  }

  return {
    begin,
    take: (at, caller, task) => {
      if (line.length() === 0 && at < endsAt) task()
      else line.push(caller, { task, since: at }, at)
    },
    waiting: line.length,
    waitedMs: (at, caller) => at - (line.firstOf(caller)?.since ?? at),
    turnWaitedMs: (at) => at - (line.nextSince() ?? at)
  }
}
