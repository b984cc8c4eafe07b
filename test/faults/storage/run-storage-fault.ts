/** Runs a storage fault under load and waits until all records are committed. */
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { startApplication } from '../../support/application.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { waitUntilConsumed } from '../../support/kafka.ts'
import type { KafkaProxy } from '../../support/kafka-proxy.ts'
import { startKafkaProxy } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createBalancer } from '../balancer.ts'
import { createRandom } from '../random.ts'
import type { FaultSettings } from '../settings.ts'
import type { StorageFault, StorageScene } from './fault.ts'
import { createForeignProducer } from './foreign-producer.ts'
import { createLedgerFile } from './ledger-file.ts'
import type { LedgerFile } from './ledger-file.ts'
import { startStorageLoad } from './load.ts'
import type { Sender, StorageLoad } from './load.ts'
import { createMembers } from './members.ts'
import { startOffsetWatch } from './offset-watch.ts'
import type { OffsetWatch } from './offset-watch.ts'

export interface StorageRun {
  readonly installation: Installation
  /** Number of injected faults. Each killed process counts. */
  readonly faults: number
  readonly complaints: readonly string[]
  /** Longest time under load without a committed record. */
  readonly longestPauseSeconds: number
  /** Longest time between a repair and the next committed record. */
  readonly nextSeconds: number
  /** Longest time from a repair until every record already on the topic was committed. */
  readonly recoverySeconds: number
  /** Last log lines of processes that exited unexpectedly. */
  readonly exitLogs: readonly string[]
}

interface StorageGround {
  readonly settings: FaultSettings
  /** Folder for the ledger and the evidence. */
  readonly folder: string
  readonly title: string
}

/** Number of committed records to wait for before and after a fault. */
const steady = 150
const settleMs = 120_000
/**
 * Session timeout of consumers in milliseconds: the broker's minimum, so that a dead member is
 * detected quickly.
 */
const sessionTimeoutMs = 6000
const rateLimit = 100_000_000

/**
 * Starts the system, injects the fault, and waits until all records are committed. Does not check
 * the evidence.
 */
export async function runStorageFault(
  fault: StorageFault,
  { settings, folder, title }: StorageGround
): Promise<StorageRun> {
  const installation = await createInstallation()
  const ledger = createLedgerFile(folder)
  const { decisions: decisionsTopic, decisionsDeadLetter: deadLetterTopic } = installation.topics
  ledger.write({ line: 'run', fault: title, decisionsTopic, deadLetterTopic })
  const stage = await setStage(fault, { installation, settings, ledger })
  const { scene, load, watch } = stage
  try {
    await scene.settleMore(steady)
    const faults = await fault.inject(scene)
    await scene.recover()
    await scene.settleMore(steady)
    await load.stop()
    const longestPauseSeconds = watch.longestPauseMs() / 1000
    await waitUntilConsumed(installation.groups.storage, decisionsTopic, settleMs)
    await watch.stop()
    return {
      ...{ installation, faults, longestPauseSeconds, ...stage.worst },
      complaints: ledger.complaints,
      exitLogs: scene.members.exitLogs
    }
  } finally {
    await stage.end()
  }
}

interface Stage {
  readonly scene: StorageScene
  readonly load: StorageLoad
  readonly watch: OffsetWatch
  readonly worst: Worst
  end(): Promise<void>
}

interface Worst {
  nextSeconds: number
  recoverySeconds: number
}

interface StageOptions {
  readonly installation: Installation
  readonly settings: FaultSettings
  readonly ledger: LedgerFile
}

async function setStage(fault: StorageFault, options: StageOptions): Promise<Stage> {
  const { installation, settings, ledger } = options
  const { environment, groups, topics } = installation
  const senders = await sendersOf(installation)
  const foreign = await createForeignProducer(installation, ledger)
  const proxy = fault.throughProxy === true ? await startKafkaProxy() : null
  const changed = { ...environment, ...fault.environment?.() }
  const members = createMembers({
    environment: { ...changed, ...storageSettings(proxy) },
    complain: ledger.complain
  })
  const [gateway] = await Promise.all([
    startApplication('gateway', { environment: changed }),
    members.start(fault.members ?? 1)
  ])
  const balancer = createBalancer()
  balancer.add(gateway)
  const watch = startOffsetWatch({ groupId: groups.storage, topic: topics.decisions, ledger })
  const random = createRandom(settings.seed)
  const load = startStorageLoad({ balancer, ledger, senders, seed: random.below(2 ** 32) })
  const worst: Worst = { nextSeconds: 0, recoverySeconds: 0 }
  const settleMore = settlingOf(watch)
  return {
    ...{ load, watch, worst },
    scene: {
      ...{ installation, settings, random, ledger, members, proxy, foreign, settleMore },
      last: (times = 1) => pause(times * settings.seconds * 1000),
      recover: () => recover(installation, settleMore, worst)
    },
    end: async () => {
      await load.stop()
      await watch.stop().catch(() => {})
      await members.end()
      await gateway.kill()
      await foreign.close()
      await proxy?.close()
    }
  }
}

function storageSettings(proxy: KafkaProxy | null): NodeJS.ProcessEnv {
  return {
    CONSUMER_SESSION_TIMEOUT_MS: String(sessionTimeoutMs),
    ...(proxy === null ? {} : { KAFKA_BROKERS: proxy.brokers })
  }
}

async function sendersOf(installation: Installation): Promise<Sender[]> {
  const tenants = [1, 2].map(() => installation.createTenant({ rateLimit }))
  return (await Promise.all(tenants)).map(({ organization_id, api_key }) => {
    return { organizationId: organization_id, apiKey: api_key }
  })
}

function settlingOf(watch: OffsetWatch): StorageScene['settleMore'] {
  return async function settleMore(count) {
    const enough = watch.settled() + count
    await waitUntil(`${count} more are settled`, () => watch.settled() >= enough, settleMs)
  }
}

async function recover(
  { groups, topics }: Installation,
  settleMore: StorageScene['settleMore'],
  worst: Worst
): Promise<void> {
  const mendedAt = performance.now()
  const keep = (name: keyof Worst): void => {
    worst[name] = Math.max(worst[name], (performance.now() - mendedAt) / 1000)
  }
  await Promise.all([
    settleMore(1).then(() => keep('nextSeconds')),
    waitUntilConsumed(groups.storage, topics.decisions, settleMs).then(() => {
      keep('recoverySeconds')
    })
  ])
}
