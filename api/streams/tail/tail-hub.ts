/** One look a second for all who listen: never one for each of them. */
import type { Clock } from '../../../core/clock.ts'
import { yieldTurn } from '../../../platform/process/yield-turn.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Store } from '../../store.ts'
import { selectProgress } from './select-news.ts'
import type { TailItem } from './tail-item.ts'
import type { TailPlacesOf } from './tail-place.ts'
import { createTailSource } from './tail-source.ts'
import type { News, TailProgress, TailSource } from './tail-source.ts'

export interface TailHubDependencies {
  readonly store: Store
  readonly decisionsTopic: string
  readonly evaluationsTopic: string
  readonly clock: Clock
  readonly placesOf: TailPlacesOf
  readonly logger: Logger
}

export type Listen = (news: News) => void

export interface TailHub {
  /**
   * From when it resolves, everything new of the organization is told; what it resolves with ends
   * that. @throws {Problem} 503
   */
  listen(organizationId: string, listen: Listen): Promise<Listening>
  /** Somebody who listens was told of these: what becomes of them is told as well. */
  keep(organizationId: string, items: readonly TailItem[]): void
}

export interface Listening {
  /** Behind everything that is not told to this listener any more: the id to begin with. */
  readonly place: string
  end(): void
}

/** An organization that somebody listens to. */
interface Channel {
  readonly source: TailSource
  readonly listeners: Set<Listen>
  /** The first look. */
  readonly ready: Promise<unknown>
}

type Channels = Map<string, Channel>

const roundMs = 1000

export function createTailHub(dependencies: TailHubDependencies): TailHub {
  const { store, clock, placesOf } = dependencies
  const channels: Channels = new Map()
  const round = createRound(dependencies, channels)
  let timer: NodeJS.Timeout | null = null

  function openChannel(organizationId: string): Channel {
    const places = placesOf(organizationId)
    const source = createTailSource({ store: store.of(organizationId), clock, places })
    const ready = readProgress(dependencies, organizationId).then((at) => source.look(at))
    const channel = { source, listeners: new Set<Listen>(), ready }
    channels.set(organizationId, channel)
    timer ??= setInterval(() => void round(), roundMs)
    return channel
  }

  function leave(organizationId: string, channel: Channel, listen: Listen): void {
    channel.listeners.delete(listen)
    if (channel.listeners.size > 0 || channels.get(organizationId) !== channel) return
    channels.delete(organizationId)
    if (channels.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }

  return {
    listen: async (organizationId, listen) => {
      const channel = channels.get(organizationId) ?? openChannel(organizationId)
      channel.listeners.add(listen)
      const end = (): void => leave(organizationId, channel, listen)
      // Before any look that this listener is told of.
      const before = channel.source.place()
      try {
        await channel.ready
      } catch (error) {
        end()
        throw error
      }
      return { place: before ?? channel.source.place() ?? '', end }
    },
    keep: (organizationId, items) => channels.get(organizationId)?.source.keep(items)
  }
}

/** A round that is late is skipped; the next one finds what it would have found. */
function createRound(dependencies: TailHubDependencies, channels: Channels) {
  const { logger } = dependencies
  let isBusy = false

  async function tell({ source, listeners, ready }: Channel, progress: TailProgress) {
    try {
      await ready
      const news = await source.look(progress)
      for (const listen of [...listeners]) {
        // In turns: each of them may have hundreds of events to write.
        await yieldTurn()
        if (listeners.has(listen)) listen(news)
      }
    } catch (error) {
      logger.debug({ error: String(error) }, 'a tail could not be told what is new')
    }
  }

  return async function round(): Promise<void> {
    const [anybody] = channels.keys()
    if (isBusy || anybody === undefined) return
    isBusy = true
    try {
      const progress = await readProgress(dependencies, anybody)
      for (const channel of channels.values()) await tell(channel, progress)
    } catch (error) {
      logger.debug({ error: String(error) }, 'tails could not be told how far storage has come')
    } finally {
      isBusy = false
    }
  }
}

/** The same for all organizations: any of them may ask. */
async function readProgress(
  { store, decisionsTopic, evaluationsTopic }: TailHubDependencies,
  organizationId: string
): Promise<TailProgress> {
  const ours = store.of(organizationId)
  const { [decisionsTopic]: decisions, [evaluationsTopic]: evaluations } = await selectProgress(
    ours,
    [decisionsTopic, evaluationsTopic]
  )
  return { decisions: decisions ?? unknown, evaluations: evaluations ?? unknown }
}

const unknown = Object.freeze({ settled: '', as_of: null, horizon: '0' })
