/** Runs a gateway fault under load and compares the topic with the responses. */
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { startApplication } from '../support/application.ts'
import type { Application } from '../support/application.ts'
import type { Installation } from '../support/installation.ts'
import type { KafkaProxy } from '../support/kafka-proxy.ts'
import { endOffsets } from '../support/kafka.ts'
import { startKafkaProxy } from '../support/services.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createBalancer } from './balancer.ts'
import type { Fault, Scene } from './fault.ts'
import { checkTopic } from './check-topic.ts'
import type { TopicReport } from './check-topic.ts'
import { createLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import type { Keys } from './load.ts'
import { createRandom } from './random.ts'
import { readTopic } from './read-topic.ts'
import type { FaultSettings } from './settings.ts'

export interface FaultResult extends TopicReport {
  readonly fault: string
  /** Short description of the fault. */
  readonly done: string
  /** Actual duration of the fault. */
  readonly faultSeconds: number
  /** Number of attempts acknowledged during the fault. */
  readonly acknowledgedMeanwhile: number
  /** Time between the end of the fault and the next acknowledgement. */
  readonly recoverySeconds: number
  /** Longest time between two acknowledgements. */
  readonly longestPauseSeconds: number
  readonly complaints: readonly string[]
  /** Organization and decision ids on the topic, to compare with Postgres. */
  readonly writtenIds: readonly string[]
}

interface Ground {
  readonly installation: Installation
  readonly keys: Keys
  readonly settings: FaultSettings
}

/** Number of acknowledgements to wait for before and after a fault. */
const steady = 200
const recoveryMs = 60_000

export async function runFault(
  fault: Fault & { readonly title: string },
  ground: Ground
): Promise<FaultResult> {
  const { installation } = ground
  const topic = installation.topics.decisions
  const before = await endOffsets(topic)
  const scene = await setScene(fault, ground)
  const { ledger, load, gateways } = scene
  try {
    await scene.acknowledgeMore(steady)
    const times = await injectAndRecover(fault, scene)
    await scene.acknowledgeMore(steady)
    await load.stop()
    const found = await readTopic(topic, before)
    return {
      fault: fault.title,
      done: fault.done(ground.settings),
      ...times,
      ...checkTopic(ledger, found, fault),
      longestPauseSeconds: ledger.longestPauseMs() / 1000,
      complaints: ledger.complaints,
      writtenIds: [...new Set(found.map(({ decisionId }) => decisionId))]
    }
  } finally {
    await load.stop()
    await Promise.all(gateways.map((gateway) => gateway.kill()))
    await scene.proxy?.close()
  }
}

type Times = Pick<FaultResult, 'faultSeconds' | 'acknowledgedMeanwhile' | 'recoverySeconds'>

async function injectAndRecover(fault: Fault, scene: Scene): Promise<Times> {
  const { ledger } = scene
  const [brokenAt, before] = [performance.now(), ledger.acknowledged()]
  await fault.inject(scene)
  const [mendedAt, meanwhile] = [performance.now(), ledger.acknowledged()]
  await scene.acknowledgeMore(1)
  return {
    faultSeconds: (mendedAt - brokenAt) / 1000,
    acknowledgedMeanwhile: meanwhile - before,
    recoverySeconds: (performance.now() - mendedAt) / 1000
  }
}

async function setScene(fault: Fault, { installation, keys, settings }: Ground): Promise<Scene> {
  const proxy = fault.throughProxy === true ? await startKafkaProxy() : null
  const environment = environmentOf(installation, settings, proxy)
  const gateways: Application[] = []
  const balancer = createBalancer()
  const ledger = createLedger()

  async function startGateway(): Promise<Application> {
    const gateway = await startApplication('gateway', { environment })
    gateways.push(gateway)
    balancer.add(gateway)
    return gateway
  }

  async function acknowledgeMore(count: number): Promise<void> {
    const enough = ledger.acknowledged() + count
    const isEnough = (): boolean => ledger.acknowledged() >= enough
    await waitUntil(`${count} more are acknowledged`, isEnough, recoveryMs)
  }

  for (let count = 0; count < (fault.gateways ?? 1); count += 1) await startGateway()
  const seed = createRandom(settings.seed).below(2 ** 32)
  const load = startLoad({ balancer, ledger, keys, seed })
  return {
    ...{ installation, settings, keys, balancer, ledger, load, gateways, proxy },
    ...{ startGateway, acknowledgeMore },
    startCold: () => startApplication('gateway', { environment, waitReady: false }),
    last: () => pause(settings.seconds * 1000)
  }
}

function environmentOf(
  { environment }: Installation,
  { deadlineMs }: FaultSettings,
  proxy: KafkaProxy | null
): NodeJS.ProcessEnv {
  return {
    ...environment,
    PRODUCE_DEADLINE_MS: String(deadlineMs),
    // Even on an overloaded machine, the balancer must detect the shutdown within this time.
    SHUTDOWN_UNREADY_MS: '3000',
    // Use the minimum of this setting, so that the load reaches the limit.
    IN_FLIGHT_BYTES_MAX: String(8 * 1024 * 1024),
    ...(proxy === null ? {} : { KAFKA_BROKERS: proxy.brokers })
  }
}
