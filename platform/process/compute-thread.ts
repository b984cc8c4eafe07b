/** A thread for work whose cost a tenant decides, so that the event loop never waits for it. */
import { Worker, parentPort } from 'node:worker_threads'
import { CpuLimitError, cpuLimit } from '../validation/cpu-limit.ts'
import { createAtMost } from './at-most.ts'

/** What the thread can do: plain functions, by name. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>

export interface Computed<Output> {
  readonly output: Output
  /** CPU time of the thread. */
  readonly computedMs: number
}

export interface ComputeThread<T extends Tasks> {
  /**
   * Runs one task when it is its turn: the thread works on one at a time.
   * @throws {CpuLimitError} when the task computed for more than `limitMs`
   */
  run<Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
    limitMs: number
  ): Promise<Computed<ReturnType<T[Name]>>>
  close(): Promise<void>
}

interface Order {
  readonly name: string
  readonly input: unknown
  readonly limitMs: number
}

type Answer =
  | { readonly kind: 'done'; readonly output: unknown; readonly computedMs: number }
  | { readonly kind: 'late'; readonly computedMs: number }
  | { readonly kind: 'broken'; readonly error: unknown }

/** Of the thread; a task that needs more ends the thread, and the next task gets a new one. */
const heapMegabytes = 256
/** The thread ends a task itself; one that it cannot end is ended with the thread after this. */
const graceMs = 10_000

/** Starts with the first task. `file` calls `serveTasks`. */
export function createComputeThread<T extends Tasks>(file: URL): ComputeThread<T> {
  const inTurn = createAtMost(1)
  let started: Worker | null = null

  function start(): Worker {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } })
    // A stop of the process does not wait for it.
    worker.unref()
    const forget = (): void => {
      if (started === worker) started = null
    }
    worker.on('exit', forget)
    // Whoever waits for a task hears of it as well.
    worker.on('error', forget)
    return worker
  }

  async function runNow(order: Order): Promise<Computed<never>> {
    const worker = (started ??= start())
    const answer = await answerOf(worker, order)
    if (answer.kind === 'broken') throw answer.error
    const { computedMs } = answer
    if (answer.kind === 'late') throw new CpuLimitError(lateness(order), { computedMs })
    return { output: answer.output as never, computedMs }
  }

  return {
    run: (name, input, limitMs) => inTurn(() => runNow({ name, input, limitMs })),
    close: async () => {
      await started?.terminate()
    }
  }
}

/** A task that needs too much memory ends the thread, and counts as late. */
async function answerOf(worker: Worker, order: Order): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const { limitMs } = order
  const end = (): void => resolve({ kind: 'late', computedMs: limitMs })
  const fail = (error: Error & { code?: string }): void => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') end()
    else resolve({ kind: 'broken', error })
  }
  const watch = setTimeout(() => void worker.terminate(), limitMs + graceMs)
  worker.once('message', resolve)
  worker.once('error', fail)
  worker.once('exit', end)
  worker.postMessage(order)
  try {
    return await promise
  } finally {
    clearTimeout(watch)
    worker.off('message', resolve)
    worker.off('error', fail)
    worker.off('exit', end)
  }
}

function lateness({ limitMs }: Order): string {
  return `took more than ${limitMs} ms`
}

/** In the thread: runs what it is asked for. */
export function serveTasks(tasks: Tasks): void {
  parentPort?.on('message', (order: Order) => {
    const answer = carryOut(tasks, order)
    try {
      parentPort?.postMessage(answer)
    } catch (cause) {
      const error = new Error(`${order.name} has no answer: ${(cause as Error).message}`)
      parentPort?.postMessage({ kind: 'broken', error })
    }
  })
}

function carryOut(tasks: Tasks, { name, input, limitMs }: Order): Answer {
  const before = process.threadCpuUsage()
  const computedMs = (): number => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
  try {
    const task = tasks[name] as (input: unknown) => unknown
    const output = cpuLimit(() => task(input), limitMs)
    return { kind: 'done', output, computedMs: computedMs() }
  } catch (error) {
    if (error instanceof CpuLimitError) return { kind: 'late', computedMs: computedMs() }
    return { kind: 'broken', error }
  }
}
