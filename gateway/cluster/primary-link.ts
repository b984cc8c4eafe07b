/** A worker's end of the line to its primary: it reports, and is told when to stop. */
import cluster from 'node:cluster'
import type { Worker } from 'node:cluster'
import type { ProcessMetrics } from '../../platform/telemetry/metrics.ts'
import type { Readiness } from '../../platform/telemetry/management.ts'
import type { FromPrimary, FromWorker } from './messages.ts'

export interface PrimaryLink {
  /**
   * Reports twice a second, whenever the primary asks, and a last time at the close. Until then it
   * says that the worker starts.
   */
  report(reported: Reported): void
  /** Says that this worker takes traffic. */
  serves(): void
  /** Whether the primary has begun to stop: balancers are noticing. */
  isLeaving(): boolean
  /** Resolves with the reason when the primary says so, or when it is gone. */
  readonly stopAsked: Promise<string>
  close(): Promise<void>
}

export interface Reported {
  readonly metrics: Pick<ProcessMetrics, 'snapshot'>
  readonly notReady: Readiness
}

/** What a worker that is killed has counted since then is missing from the sums. */
const everyMs = 500

/** Null in a process that is nobody's worker. */
export function connectToPrimary(): PrimaryLink | null {
  const { worker } = cluster
  return worker === undefined ? null : createPrimaryLink(worker)
}

export type LinkedWorker = Pick<Worker, 'on' | 'send' | 'isConnected' | 'exitedAfterDisconnect'> & {
  readonly process: { disconnect(): void }
}

export function createPrimaryLink(worker: LinkedWorker): PrimaryLink {
  const { promise: stopAsked, resolve: askStop } = Promise.withResolvers<string>()
  let reported: Reported | null = null
  let isLeaving = false

  function send(message: FromWorker): Promise<void> {
    if (!worker.isConnected()) return Promise.resolve()
    // An error means that the primary is gone, which 'disconnect' tells as well.
    return new Promise((resolve) => worker.send(message, () => resolve()))
  }

  async function sendReport(asked: number | null): Promise<void> {
    if (reported === null) return
    const metrics = await reported.metrics.snapshot()
    await send({ kind: 'report', asked, missing: reported.notReady(), metrics })
  }

  // However long its code takes to load on a busy machine, it is not one that hangs.
  let timer = setInterval(() => void send({ kind: 'starts' }), everyMs)

  worker.on('message', (message: FromPrimary) => {
    if (message.kind === 'stop') askStop('the primary stops')
    else if (message.kind === 'leave') isLeaving = true
    else void sendReport(message.asked)
  })
  worker.on('disconnect', () => {
    // Without this Node ends the process on the spot, and its open requests with it.
    worker.exitedAfterDisconnect = true
    askStop('the primary is gone')
  })

  return {
    stopAsked,
    isLeaving: () => isLeaving,
    serves: () => void send({ kind: 'serves' }),
    report: (what) => {
      reported = what
      clearInterval(timer)
      timer = setInterval(() => void sendReport(null), everyMs)
      void sendReport(null)
    },
    close: async () => {
      clearInterval(timer)
      await sendReport(null)
      if (worker.isConnected()) worker.process.disconnect()
    }
  }
}
