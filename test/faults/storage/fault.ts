/** One thing that breaks for storage: how it is broken and mended, and what must show of it. */
import type { Installation } from '../../support/installation.ts'
import type { KafkaProxy } from '../../support/kafka-proxy.ts'
import type { Random } from '../random.ts'
import type { FaultSettings } from '../settings.ts'
import type { ForeignProducer } from './foreign-producer.ts'
import type { Verdict } from './judge.ts'
import type { LedgerFile } from './ledger-file.ts'
import type { Members } from './members.ts'

export interface StorageFault {
  /** In a few words, for the table. */
  done(settings: FaultSettings): string
  /** How many storage processes run before it; 1 when left out. */
  readonly members?: number
  /** Whether they reach the broker through `scene.proxy`. */
  readonly throughProxy?: boolean
  /** Beyond the usual environment of gateway and storage. */
  environment?(): NodeJS.ProcessEnv
  /** Breaks and mends; when it resolves, all is as it was. Answers how many faults it was. */
  inject(scene: StorageScene): Promise<number>
  /** Null when the run shows that the fault was there, or what is missing. */
  doubts?(verdict: Verdict): string | null
}

/** What a fault happens to. */
export interface StorageScene {
  readonly installation: Installation
  readonly settings: FaultSettings
  readonly random: Random
  readonly ledger: LedgerFile
  readonly members: Members
  /** Set when the fault asks for it. */
  readonly proxy: KafkaProxy | null
  readonly foreign: ForeignProducer
  /** Resolves when the time of the fault is over, or so many times as much. */
  last(times?: number): Promise<void>
  /** Resolves once so many more records are settled. */
  settleMore(count: number): Promise<void>
  /** Called when something is mended: resolves when storage has what was on the topic then. */
  recover(): Promise<void>
}

/** Of what takes seconds each time: at least 2, and 50 in all where there are three at a time. */
export function turnsOf({ rounds }: Pick<FaultSettings, 'rounds'>): number {
  return Math.max(2, Math.ceil(rounds / 12))
}

/** Throws where a fault that needs the proxy has none. */
export function proxyOf({ proxy }: Pick<StorageScene, 'proxy'>): KafkaProxy {
  if (proxy === null) throw new Error('this fault needs the proxy')
  return proxy
}
