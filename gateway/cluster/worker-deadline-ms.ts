/** Divides the shutdown deadline between a primary and its workers. */
import type { GatewayConfig } from '../config.ts'

type StopTimes = Pick<GatewayConfig, 'SHUTDOWN_DEADLINE_MS' | 'SHUTDOWN_UNREADY_MS'>

/**
 * Maximum time in milliseconds by which a worker's shutdown deadline precedes that of the primary.
 * At its own deadline, the primary kills the remaining workers.
 */
const spareMs = 1500

/**
 * Returns the shutdown deadline of a worker. Workers begin to stop after SHUTDOWN_UNREADY_MS and
 * must finish before the primary.
 */
export function workerDeadlineMs(config: StopTimes): number {
  const { SHUTDOWN_DEADLINE_MS: deadlineMs, SHUTDOWN_UNREADY_MS: unreadyMs } = config
  return Math.max((deadlineMs - unreadyMs) / 2, deadlineMs - unreadyMs - spareMs)
}
