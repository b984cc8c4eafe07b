/** Filters the updates for one tail connection and queues its events. The queue is bounded: a gap
 * event replaces the events that do not fit.
 */
import { isSampled } from '../../../evaluators/planning/sample.ts'
import { agentIdOf } from '../../profiles/agent-name.ts'
import { serverSentEvent } from './events.ts'
import type { TailItem } from './events.ts'
import type { TailFilters } from './queries.ts'
import type { TailUpdate } from './tail-source.ts'

export type TailListener = ReturnType<typeof createTailListener>

interface QueuedEvent {
  readonly text: string
  /** Number of decisions to report in a gap event if this event is dropped. */
  readonly decisions: number
}

export const eventsMax = 2000
/** Maximum number of shown decisions that a connection remembers. */
const shownMax = 2000

export function createTailListener(filters: TailFilters) {
  const shown = new Set<string>()
  let events: QueuedEvent[] = []
  let wake = (): void => {}

  function push(event: QueuedEvent): void {
    events.push(event)
    if (events.length > eventsMax) events = withoutOlderHalf(events)
    wake()
  }

  /**
   * Shows a decision if it matches and is not among the last `shownMax` shown. Called again when
   * its evaluation changes, because it may not have matched before.
   */
  function show(item: TailItem): void {
    const { decision_id } = item.row
    if (shown.has(decision_id) || !matchesFilters(filters, item)) return
    shown.add(decision_id)
    const [oldest] = shown
    if (shown.size > shownMax && oldest !== undefined) shown.delete(oldest)
    push({ text: item.decision, decisions: 1 })
  }

  function showAll(items: readonly TailItem[], dropped: number): void {
    if (dropped > 0) push(gapOf(dropped))
    for (const item of items) show(item)
  }

  async function sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    wake = resolve
    await promise
    clearTimeout(timer)
  }

  return {
    take: ({ decisions, evaluations, dropped }: TailUpdate): void => {
      for (const item of evaluations) {
        if (shown.has(item.row.decision_id)) push({ text: item.evaluation, decisions: 0 })
        else show(item)
      }
      showAll(decisions, dropped)
    },
    /**
     * Inserts missed decisions, oldest first, before the queued events. If some cannot be replayed,
     * a gap event comes first.
     */
    replay: (items: readonly TailItem[], dropped: number): void => {
      const later = events.splice(0)
      showAll(items, dropped)
      events.push(...later)
    },
    /** Adds a gap event. Null means that the number of dropped decisions is unknown. */
    gap: (dropped: number | null): void => push(gapOf(dropped)),
    /**
     * Returns all queued events as text. If there are none, waits up to `ms` milliseconds for the
     * first one, or until `wake` is called; returns '' if none arrived.
     */
    next: async (ms: number): Promise<string> => {
      if (events.length === 0) await sleep(ms)
      const taken = events.splice(0)
      return taken.map(({ text }) => text).join('')
    },
    wake: (): void => wake()
  }
}

/**
 * Drops the older half in one step, because dropping events one by one would shift the whole array
 * each time.
 */
function withoutOlderHalf(events: readonly QueuedEvent[]): QueuedEvent[] {
  const half = eventsMax / 2
  const dropped = events.slice(0, half).reduce((sum, { decisions }) => sum + decisions, 0)
  return [gapOf(dropped), ...events.slice(half)]
}

function gapOf(dropped: number | null): QueuedEvent {
  const text = serverSentEvent({ event: 'gap', data: JSON.stringify({ dropped }) })
  return { text, decisions: dropped ?? 0 }
}

const exact = ['session_id', 'domain'] as const
const ofEvaluation = ['status', 'verdict'] as const

function matchesFilters(filters: TailFilters, { row, state }: TailItem): boolean {
  const { sample: rate = 1, agent_id } = filters
  return (
    (agent_id === undefined || agentIdOf(agent_id) === (row.agent_id ?? '')) &&
    exact.every((name) => filters[name] === undefined || filters[name] === row[name]) &&
    ofEvaluation.every((name) => filters[name] === undefined || filters[name] === state[name]) &&
    isSampled({ rate, key: 'decision', cohort: 'tail' }, row)
  )
}
