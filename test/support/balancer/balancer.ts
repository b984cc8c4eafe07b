/** Defines the load balancer interface for tests. */
import type { Ports } from '../application.ts'

export interface Balancer {
  readonly url: string
  /**
   * Returns an error message for each request or connection that failed at a gateway or found no
   * ready gateway. With HAProxy, the list is empty.
   */
  failures(): readonly string[]
  close(): Promise<void>
}

export type StartBalancer = (gateways: readonly Ports[]) => Promise<Balancer>

/**
 * Interval between health checks in milliseconds. Two consecutive failures mark a gateway as down;
 * one success marks it as up.
 */
export const checkMs = 200
export const checkFalls = 2
