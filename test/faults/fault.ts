/** Interface of gateway faults, with the errors that callers may get during a fault. */
import type { ProblemCode } from '../../core/problem.ts'
import type { Application } from '../support/application.ts'
import type { Installation } from '../support/installation.ts'
import type { KafkaProxy } from '../support/kafka-proxy.ts'
import type { Balancer } from './balancer.ts'
import type { Ledger } from './ledger.ts'
import type { Keys, Load } from './load.ts'
import type { FaultSettings } from './settings.ts'

/** Problem code, or the reason why a request got no response. */
export type Seen = ProblemCode | 'broken' | 'not_connected'

export interface Fault {
  /** Returns a short description for the results table. */
  done(settings: FaultSettings): string
  /** Errors that callers may get during the fault. */
  readonly allows: readonly Seen[]
  /** Errors that callers must get. Without them, the fault had no effect and the test fails. */
  readonly shows?: readonly Seen[]
  /** Additional errors that callers with an unknown API key may get. */
  readonly allowsForeign?: readonly Seen[]
  /** Number of gateways. Default: 1. */
  readonly gateways?: number
  /** True if the gateways connect to the broker through `scene.proxy`. */
  readonly throughProxy?: boolean
  /** Injects the fault, repairs it, and waits until the system works again. */
  inject(scene: Scene): Promise<void>
}

/** System under test, and controls for the fault. */
export interface Scene {
  readonly installation: Installation
  readonly settings: FaultSettings
  readonly balancer: Balancer
  readonly load: Load
  readonly ledger: Ledger
  /** Gateways that receive requests. A fault that replaces a gateway must update the list. */
  readonly gateways: Application[]
  /** Null unless the fault has `throughProxy`. */
  readonly proxy: KafkaProxy | null
  readonly keys: Keys
  /** Starts another gateway and adds it to the balancer. */
  startGateway(): Promise<Application>
  /** Starts a gateway without waiting until it is ready, and without adding it to the balancer. */
  startCold(): Promise<Application>
  /** Waits for the configured duration of a fault. */
  last(): Promise<void>
  /** Waits until `count` more attempts are acknowledged. */
  acknowledgeMore(count: number): Promise<void>
}

const turnSeconds = 4

/** Returns how many processes to replace during a fault of this duration. */
export function repetitionsOf(seconds: number): number {
  return Math.max(2, Math.floor(seconds / turnSeconds))
}
