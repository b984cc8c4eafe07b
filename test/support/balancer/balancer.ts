/** What stands in front of gateways: it asks each whether it is ready, and sends where it is. */
import type { Ports } from '../application.ts'

export interface Balancer {
  /** Where clients call. */
  readonly url: string
  /** What went wrong between it and a gateway, in sentences; a client was failed for each. */
  failures(): readonly string[]
  close(): Promise<void>
}

export type StartBalancer = (gateways: readonly Ports[]) => Promise<Balancer>

/** Of the checks: two in a row decide that a gateway is down, one that it is up. */
export const checkMs = 200
export const checkFalls = 2
