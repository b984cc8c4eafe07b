/** How the time of an ordered stop is divided between a primary and its workers. */
import type { GatewayConfig } from '../config.ts'

type StopTimes = Pick<GatewayConfig, 'SHUTDOWN_DEADLINE_MS' | 'SHUTDOWN_UNREADY_MS'>

/** For a worker to leave after its deadline, before its primary ends what is left. */
const spareMs = 1500

/** Workers are told when balancers had their time, and have to be done before the primary is. */
export function workerDeadlineMs(config: StopTimes): number {
  const { SHUTDOWN_DEADLINE_MS: deadlineMs, SHUTDOWN_UNREADY_MS: unreadyMs } = config
  return Math.max((deadlineMs - unreadyMs) / 2, deadlineMs - unreadyMs - spareMs)
}
