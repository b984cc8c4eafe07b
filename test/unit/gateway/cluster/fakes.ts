/** Workers that are no processes: a test says what they do, and sees what they were told. */
import type { Fork, WorkerEnd, WorkerProcess } from '../../../../gateway/cluster/fork.ts'
import type { FromPrimary, FromWorker } from '../../../../gateway/cluster/messages.ts'
import { createMetrics } from '../../../../platform/telemetry/metrics.ts'
import type { ProcessMetrics } from '../../../../platform/telemetry/metrics.ts'

export class FakeWorker implements WorkerProcess {
  readonly told: FromPrimary[] = []
  readonly metrics: ProcessMetrics = createMetrics()
  readonly ended: Promise<WorkerEnd>
  readonly end: (end: WorkerEnd) => void
  readonly pid: number
  /** False for one that is frozen. */
  answers = true
  missing: readonly string[] = []
  #hear: (message: FromWorker) => void = () => {}

  constructor(pid: number) {
    this.pid = pid
    const { promise, resolve } = Promise.withResolvers<WorkerEnd>()
    this.ended = promise
    this.end = resolve
  }

  send(message: FromPrimary): void {
    this.told.push(message)
    if (!this.answers) return
    if (message.kind === 'stop') this.end({ exitCode: 0, signal: null })
    else if (message.kind === 'report') void this.report(message.asked)
  }

  onMessage(hear: (message: FromWorker) => void): void {
    this.#hear = hear
  }

  kill(): void {
    this.end({ exitCode: null, signal: 'SIGKILL' })
  }

  start(): void {
    this.#hear({ kind: 'starts' })
  }

  serve(): void {
    this.#hear({ kind: 'serves' })
  }

  async report(asked: number | null = null): Promise<void> {
    const metrics = await this.metrics.snapshot()
    this.#hear({ kind: 'report', asked, missing: this.missing, metrics })
  }
}

/** Workers in the order of their birth. */
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
