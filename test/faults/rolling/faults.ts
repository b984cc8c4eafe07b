/** Defines the rolling restarts: the load balancer used and the processes restarted. */
import { startHaproxy } from '../../support/balancer/haproxy.ts'
import { startHttpBalancer } from '../../support/balancer/http-balancer.ts'
import { startTcpBalancer } from '../../support/balancer/tcp-balancer.ts'
import type { StartBalancer } from '../../support/balancer/balancer.ts'
import type { RollingFaultName } from './fault-titles.ts'

export interface RollingFault {
  readonly startBalancer: StartBalancer
  /** Number of workers per gateway. Default: 1. */
  readonly workers?: number
  /** Stops gateways with SIGKILL. Callers may get errors only if this is true. */
  readonly kills?: boolean
  /** Also restarts storage and evaluation, one after the other. */
  readonly restartsConsumers?: boolean
  /** Runs only in the long form. */
  readonly isLong?: boolean
}

export const rollingFaults: Readonly<Record<RollingFaultName, RollingFault>> = {
  'rolling-http': { startBalancer: startHttpBalancer },
  'rolling-tcp': { startBalancer: startTcpBalancer, workers: 2 },
  'rolling-haproxy': { startBalancer: startHaproxy, isLong: true },
  'rolling-all': { startBalancer: startHttpBalancer, restartsConsumers: true, isLong: true },
  'rolling-killed': { startBalancer: startHttpBalancer, kills: true }
}
