/** What each of them restarts, and what stands in front. */
import { startHaproxy } from '../../support/balancer/haproxy.ts'
import { startHttpBalancer } from '../../support/balancer/http-balancer.ts'
import { startTcpBalancer } from '../../support/balancer/tcp-balancer.ts'
import type { StartBalancer } from '../../support/balancer/balancer.ts'
import type { RollingFaultName } from './fault-titles.ts'

export interface RollingFault {
  readonly startBalancer: StartBalancer
  /** Processes of each gateway; one when left out. */
  readonly workers?: number
  /** Whether gateways are killed, so that callers may notice. */
  readonly kills?: boolean
  /** Whether storage and evaluation are restarted as well, one after the other. */
  readonly restartsConsumers?: boolean
  /** Whether it is part of the long form alone. */
  readonly isLong?: boolean
}

export const rollingFaults: Readonly<Record<RollingFaultName, RollingFault>> = {
  'rolling-http': { startBalancer: startHttpBalancer },
  'rolling-tcp': { startBalancer: startTcpBalancer, workers: 2 },
  'rolling-haproxy': { startBalancer: startHaproxy, isLong: true },
  'rolling-all': { startBalancer: startHttpBalancer, restartsConsumers: true, isLong: true },
  'rolling-killed': { startBalancer: startHttpBalancer, kills: true }
}
