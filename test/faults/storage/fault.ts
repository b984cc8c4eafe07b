/** Interface of storage faults, which are injected and repaired during a run. */
import type { Installation } from '../../support/installation.ts'
import type { KafkaProxy } from '../../support/kafka-proxy.ts'
import type { Random } from '../random.ts'
import type { FaultSettings } from '../settings.ts'
import type { ForeignProducer } from './foreign-producer.ts'
import type { StorageReport } from './check-storage.ts'
import type { LedgerFile } from './ledger-file.ts'
import type { Members } from './members.ts'

export interface StorageFault {
  /** Returns a short description for the results table. */
  done(settings: FaultSettings): string
  /** Initial number of storage processes. Default: 1. */
  readonly members?: number
  /** True if the storage processes connect to the broker through `scene.proxy`. */
  readonly throughProxy?: boolean
  /** Returns additional environment variables for gateway and storage. */
  environment?(): NodeJS.ProcessEnv
  /**
   * Injects and repairs the fault, and resolves with the number of injected faults. Each killed
   * process counts.
   */
  inject(scene: StorageScene): Promise<number>
  /** Returns a sentence if the run shows no effect of the fault, otherwise null. */
  missingEffect?(report: StorageReport): string | null
}

/** System under test, and controls for the fault. */
export interface StorageScene {
  readonly installation: Installation
  readonly settings: FaultSettings
  readonly random: Random
  readonly ledger: LedgerFile
  readonly members: Members
  /** Null unless the fault has `throughProxy`. */
  readonly proxy: KafkaProxy | null
  readonly foreign: ForeignProducer
  /** Waits for the configured fault duration, multiplied by `times`. */
  last(times?: number): Promise<void>
  /** Waits until the group has committed `count` more records. */
  settleMore(count: number): Promise<void>
  /**
   * Waits until storage has committed every record currently on the topic. Call this after a
   * repair.
   */
  recover(): Promise<void>
}

/**
 * Returns how many times to inject a fault that takes seconds: at least twice, and 17 times in the
 * long form.
 */
export function repetitionsOf({ rounds }: Pick<FaultSettings, 'rounds'>): number {
  return Math.max(2, Math.ceil(rounds / 12))
}

/**
 * Returns the proxy.
 * @throws if the fault does not have `throughProxy`
 */
export function proxyOf({ proxy }: Pick<StorageScene, 'proxy'>): KafkaProxy {
  if (proxy === null) throw new Error('this fault needs a proxy')
  return proxy
}
