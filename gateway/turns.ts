/** Works for a few milliseconds, then lets the process look what has come meanwhile, and so on.
 *  What there is no time for waits in line. */
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
  take(at: number, task: () => void): void
  /** How long a task that comes now would wait, as far as one can tell. */
  waitMs(): number
}

/** Over so much work it is measured how long a task takes. */
const windowMs = 100

export function createTurns({ turnMs, now, onEnd }: TurnOptions): Turns {
  const line = createLine<() => void>()
  const work = { ms: 0, tasks: 0 }
  let beganAt = 0
  /** Zero between two turns. */
  let endsAt = 0
  let taskMs = 0

  function begin(at: number): void {
    if (endsAt > 0) return
    beganAt = at
    endsAt = at + turnMs
    setImmediate(end)
  }

  function end(): void {
    endsAt = 0
    onEnd()
    if (line.length() === 0) return
    const at = now()
    measure(at)
    begin(at)
    runLine()
  }

  /** Only turns that leave a line are measured: no others are full of work. */
  function measure(at: number): void {
    work.ms += at - beganAt
    if (work.ms < windowMs || work.tasks === 0) return
    taskMs = work.ms / work.tasks
    work.ms = 0
    work.tasks = 0
  }

  function runLine(): void {
    if (now() >= endsAt) return
    const task = line.shift()
    if (task === undefined) return
    work.tasks += 1
    task()
    queueMicrotask(runLineSoon)
  }

  /** Ticks go before microtasks: a tick alone would come before the work of the last task. */
  function runLineSoon(): void {
    process.nextTick(runLine)
  }

  return {
    begin,
    take: (at, task) => {
      if (line.length() === 0 && at < endsAt) task()
      else line.push(task)
    },
    waitMs: () => line.length() * taskMs
  }
}
