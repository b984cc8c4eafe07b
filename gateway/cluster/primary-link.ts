/** A worker's connection to its primary: sends reports and receives stop requests. */
import cluster from 'node:cluster'
import type { Worker } from 'node:cluster'
import type { ProcessMetrics } from '../../platform/telemetry/metrics.ts'
import type { Readiness } from '../../platform/telemetry/management.ts'
import type { FromPrimary, FromWorker } from './messages.ts'

export interface PrimaryLink {
  /**
   * Starts sending reports: twice a second, on request, and on close. Before the first call, the
   * link sends `starts` messages.
   */
  report(reported: Reported): void
  /** Reports that this worker accepts traffic. */
  serves(): void
  /**
   * Returns true once the primary has begun to shut down. Load balancers may still send traffic.
   */
  isLeaving(): boolean
  /** Resolves with the reason when the primary asks this worker to stop or has exited. */
  readonly stopRequested: Promise<string>
  close(): Promise<void>
}

interface Reported {
  readonly metrics: Pick<ProcessMetrics, 'snapshot'>
  readonly notReady: Readiness
}

/**
 * Interval between reports in milliseconds. If a worker is killed, the counts since its last report
 * are lost.
 */
const everyMs = 500

/** Returns null in a process that is not a worker. */
export function connectToPrimary(): PrimaryLink | null {
  const { worker } = cluster
  return worker === undefined ? null : createPrimaryLink(worker)
}

export type LinkedWorker = Pick<Worker, 'on' | 'send' | 'isConnected' | 'exitedAfterDisconnect'> & {
  readonly process: { disconnect(): void }
}

export function createPrimaryLink(worker: LinkedWorker): PrimaryLink {
  const { promise: stopRequested, resolve: requestStop } = Promise.withResolvers<string>()
  let reported: Reported | null = null
  let isLeaving = false

  function send(message: FromWorker): Promise<void> {
    if (!worker.isConnected()) return Promise.resolve()
    // An error means that the primary has exited. The 'disconnect' event reports that.
    return new Promise((resolve) => worker.send(message, () => resolve()))
  }

  async function sendReport(requestId: number | null): Promise<void> {
    if (reported === null) return
    const metrics = await reported.metrics.snapshot()
    await send({ kind: 'report', requestId, missing: reported.notReady(), metrics })
  }

  // Shows that the worker is not hung while loading its code. Loading can take a long time on a
  // busy machine.
  let timer = setInterval(() => void send({ kind: 'starts' }), everyMs)

  worker.on('message', (message: FromPrimary) => {
    if (message.kind === 'stop') requestStop('the primary is stopping')
    else if (message.kind === 'leave') isLeaving = true
    else void sendReport(message.requestId)
  })
  worker.on('disconnect', () => {
    // Without this flag, Node would exit as soon as the primary disconnects and drop the requests
    // in progress.
    worker.exitedAfterDisconnect = true
    requestStop('the primary has exited')
  })

  return {
    stopRequested,
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
