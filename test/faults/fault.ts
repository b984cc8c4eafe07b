/** One thing that breaks: how it is broken and mended, and what callers may see of it. */
import type { ProblemCode } from '../../core/problem.ts'
import type { Application } from '../support/application.ts'
import type { Installation } from '../support/installation.ts'
import type { KafkaProxy } from '../support/kafka-proxy.ts'
import type { Balancer } from './balancer.ts'
import type { Ledger } from './ledger.ts'
import type { Keys, Load } from './load.ts'
import type { FaultSettings } from './settings.ts'

/** A refusal, or what a client sees where there is no answer. */
export type Seen = ProblemCode | 'broken' | 'not_connected'

export interface Fault {
  /** In a few words, for the table. */
  done(settings: FaultSettings): string
  /** What callers may be told because of it; without these everything goes on as always. */
  readonly allows: readonly Seen[]
  /** What callers are told for certain; a run in which nobody was has tested nothing. */
  readonly shows?: readonly Seen[]
  /** What callers with a key that nobody knows may be told as well. */
  readonly allowsForeign?: readonly Seen[]
  /** How many gateways run; 1 when left out. */
  readonly gateways?: number
  /** Whether the gateways reach the broker through `scene.proxy`. */
  readonly throughProxy?: boolean
  /** Breaks and mends; when it resolves, everything is as it was. */
  inject(scene: Scene): Promise<void>
}

/** What a fault happens to. */
export interface Scene {
  readonly installation: Installation
  readonly settings: FaultSettings
  readonly balancer: Balancer
  readonly load: Load
  readonly ledger: Ledger
  /** Those that take traffic now; a fault that replaces one keeps the list. */
  readonly gateways: Application[]
  /** Set when the fault asks for it. */
  readonly proxy: KafkaProxy | null
  readonly keys: Keys
  /** Starts one more that takes traffic, as the others were started. */
  startGateway(): Promise<Application>
  /** Starts one without waiting until it is ready; the load does not know it. */
  startCold(): Promise<Application>
  /** Resolves when this time of the fault is over. */
  last(): Promise<void>
  /** Resolves once `count` more attempts are acknowledged. */
  acknowledgeMore(count: number): Promise<void>
}

const turnSeconds = 4

/** How often a process is replaced in the time of a fault. */
export function turnsOf(seconds: number): number {
  return Math.max(2, Math.floor(seconds / turnSeconds))
}
