/** Provides fake workers: a test controls their reports and reads the messages sent to them. */
import type { Fork, WorkerEnd, WorkerProcess } from '../../../../gateway/cluster/fork.ts'
import type { FromPrimary, FromWorker } from '../../../../gateway/cluster/messages.ts'
import { createMetrics } from '../../../../platform/telemetry/metrics.ts'
import type { ProcessMetrics } from '../../../../platform/telemetry/metrics.ts'

export class FakeWorker implements WorkerProcess {
  readonly received: FromPrimary[] = []
  readonly metrics: ProcessMetrics = createMetrics()
  readonly ended: Promise<WorkerEnd>
  readonly end: (end: WorkerEnd) => void
  readonly pid: number
  /** False for a frozen worker. */
  answers = true
  missing: readonly string[] = []
  #listener: (message: FromWorker) => void = () => {}

  constructor(pid: number) {
    this.pid = pid
    const { promise, resolve } = Promise.withResolvers<WorkerEnd>()
    this.ended = promise
    this.end = resolve
  }

  send(message: FromPrimary): void {
    this.received.push(message)
    if (!this.answers) return
    if (message.kind === 'stop') this.end({ exitCode: 0, signal: null })
    else if (message.kind === 'report') void this.report(message.requestId)
  }

  onMessage(listener: (message: FromWorker) => void): void {
    this.#listener = listener
  }

  kill(): void {
    this.end({ exitCode: null, signal: 'SIGKILL' })
  }

  start(): void {
    this.#listener({ kind: 'starts' })
  }

  serve(): void {
    this.#listener({ kind: 'serves' })
  }

  async report(requestId: number | null = null): Promise<void> {
    const metrics = await this.metrics.snapshot()
    this.#listener({ kind: 'report', requestId, missing: this.missing, metrics })
  }
}

/** Creates a fork function that lists its workers in start order. */
export function createFakeFork(): { fork: Fork; born: FakeWorker[] } {
  const born: FakeWorker[] = []
  return {
    born,
    fork: () => {
      const worker = new FakeWorker(born.length + 1)
      born.push(worker)
      return worker
    }
  }
}
