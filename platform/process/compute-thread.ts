/** Compute thread: runs tasks whose cost tenants control, so that they do not block the event loop.
 */
import { Worker, parentPort } from 'node:worker_threads'
import { CpuLimitError, cpuLimit } from '../validation/cpu-limit.ts'
import { createAtMost } from './at-most.ts'

/** Functions that the thread can run, by name. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>

interface Computed<Output> {
  readonly output: Output
  /** CPU time used by the task. */
  readonly computedMs: number
}

interface ComputeThread<T extends Tasks> {
  /**
   * Runs one task. The thread runs one task at a time.
   * @throws {CpuLimitError} if the task runs longer than `limitMs` or runs out of memory
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

/**
 * Maximum heap size of the thread. A task that exceeds it ends the thread; the next task starts a
 * new thread.
 */
const heapMegabytes = 256
/** Time after `limitMs` at which the thread is terminated if it has not stopped the task itself. */
const graceMs = 10_000

/** Creates a thread that starts with its first task. The module `file` must call `serveTasks`. */
export function createComputeThread<T extends Tasks>(file: URL): ComputeThread<T> {
  const inOrder = createAtMost(1)
  let started: Worker | null = null

  function start(): Worker {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } })
    // The thread must not keep the process alive.
    worker.unref()
    const forget = (): void => {
      if (started === worker) started = null
    }
    worker.on('exit', forget)
    // Needs no report, because the error also rejects the running task.
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
    run: (name, input, limitMs) => inOrder(() => runNow({ name, input, limitMs })),
    close: async () => {
      await started?.terminate()
    }
  }
}

/** Runs the task. Running out of memory ends the thread and counts as exceeding the time limit. */
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

/** Runs in the thread: executes the requested tasks. */
export function serveTasks(tasks: Tasks): void {
  parentPort?.on('message', (order: Order) => {
    const answer = carryOut(tasks, order)
    try {
      parentPort?.postMessage(answer)
    } catch (cause) {
      const error = new Error(`${order.name} has no result: ${(cause as Error).message}`)
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
