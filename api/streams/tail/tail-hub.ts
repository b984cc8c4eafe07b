/** Checks once per second for updates of each organization with open tails, and publishes them to
 * those tails.
 */
import type { Clock } from '../../../core/clock.ts'
import { yieldToEventLoop } from '../../../platform/process/yield-to-event-loop.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Store } from '../../store.ts'
import type { TailItem } from './events.ts'
import { selectProgress } from './queries.ts'
import type { TailIdsOf } from './tail-id.ts'
import { createTailSource } from './tail-source.ts'
import type { TailUpdate, TailProgress, TailSource } from './tail-source.ts'

export interface TailHubDependencies {
  readonly store: Store
  readonly decisionsTopic: string
  readonly evaluationsTopic: string
  readonly clock: Clock
  readonly tailIdsOf: TailIdsOf
  readonly logger: Logger
}

export type OnUpdate = (update: TailUpdate) => void

export type TailHub = ReturnType<typeof createTailHub>

/** An organization with open tails. */
interface Channel {
  readonly source: TailSource
  readonly subscribers: Set<OnUpdate>
  /** Resolves after the first poll. */
  readonly ready: Promise<unknown>
}

const roundMs = 1000

export function createTailHub(dependencies: TailHubDependencies) {
  const { store, clock, tailIdsOf } = dependencies
  const channels = new Map<string, Channel>()
  const round = createRound(dependencies, channels)
  let timer: NodeJS.Timeout | null = null

  function openChannel(organizationId: string): Channel {
    const source = createTailSource(store.of(organizationId), clock, tailIdsOf(organizationId))
    const ready = readProgress(dependencies, organizationId).then((at) => source.poll(at))
    const channel = { source, subscribers: new Set<OnUpdate>(), ready }
    channels.set(organizationId, channel)
    timer ??= setInterval(() => void round(), roundMs)
    return channel
  }

  function leave(organizationId: string, channel: Channel, onUpdate: OnUpdate): void {
    channel.subscribers.delete(onUpdate)
    if (channel.subscribers.size > 0 || channels.get(organizationId) !== channel) return
    channels.delete(organizationId)
    if (channels.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }

  return {
    /**
     * Subscribes to updates of an organization. Updates arrive until `end` is called.
     * @returns `startId`, the id of the position at which the subscription starts, and `end`
     * @throws {Problem} 503 if the database is unavailable
     */
    subscribe: async (organizationId: string, onUpdate: OnUpdate) => {
      const channel = channels.get(organizationId) ?? openChannel(organizationId)
      channel.subscribers.add(onUpdate)
      const end = (): void => leave(organizationId, channel, onUpdate)
      // Read the id before waiting: polls during the wait already publish to this subscriber.
      const before = channel.source.latestId()
      try {
        await channel.ready
      } catch (error) {
        end()
        throw error
      }
      return { startId: before ?? channel.source.latestId() ?? '', end }
    },
    /** Adds items shown outside of updates, so that changes to their evaluations are published. */
    keep: (organizationId: string, items: readonly TailItem[]) =>
      channels.get(organizationId)?.source.keep(items)
  }
}

/**
 * Creates the function that runs a polling round. The function does nothing while the previous
 * round is still running; the next round finds the same changes.
 */
function createRound(dependencies: TailHubDependencies, channels: ReadonlyMap<string, Channel>) {
  const { logger } = dependencies
  let isBusy = false

  async function publishUpdate({ source, subscribers, ready }: Channel, progress: TailProgress) {
    try {
      await ready
      const update = await source.poll(progress)
      for (const onUpdate of [...subscribers]) {
        // Yield between subscribers, because each can have hundreds of events to write.
        await yieldToEventLoop()
        if (subscribers.has(onUpdate)) onUpdate(update)
      }
    } catch (error) {
      logger.debug({ error: String(error) }, 'tail poll failed')
    }
  }

  return async function round(): Promise<void> {
    const [anyOrganization] = channels.keys()
    if (isBusy || anyOrganization === undefined) return
    isBusy = true
    try {
      const progress = await readProgress(dependencies, anyOrganization)
      for (const channel of channels.values()) await publishUpdate(channel, progress)
    } catch (error) {
      logger.debug({ error: String(error) }, 'tail poll failed: storage progress unknown')
    } finally {
      isBusy = false
    }
  }
}

/**
 * Reads the storage progress, which is the same for all organizations. Any organization id can be
 * used.
 */
async function readProgress(
  { store, decisionsTopic, evaluationsTopic }: TailHubDependencies,
  organizationId: string
): Promise<TailProgress> {
  const topics = [decisionsTopic, evaluationsTopic]
  const rows = await selectProgress(store.of(organizationId), topics)
  const [decisions = unknown, evaluations = unknown] = topics.map((topic) =>
    rows.find((row) => row.topic === topic)
  )
  return { decisions, evaluations }
}

const unknown = Object.freeze({ settled: '', as_of: null, horizon: '0' })
