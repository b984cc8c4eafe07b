/** Defines the tasks that compute-thread.test.ts runs in a thread. */
import { serveTasks } from '../../../../platform/process/compute-thread.ts'

function repeat(text: string): string {
  return text + text
}

function hang(): never {
  for (;;);
}

function fail(text: string): never {
  throw new RangeError(text)
}

/** Exceeds the heap limit of the thread. */
function hoard(): number {
  const kept: unknown[] = []
  for (;;) kept.push(new Array(1_000_000).fill(kept.length))
}

/** Returns a result that cannot be sent to another thread. */
function unanswerable(): () => void {
  return () => {}
}

const tasks = { repeat, hang, fail, hoard, unanswerable }
export type TestTasks = typeof tasks

serveTasks(tasks)
