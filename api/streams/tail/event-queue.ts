/** Events that wait for their connection: a bounded number, and a gap in place of what is lost. */
import { serverSentEvent } from './server-sent-event.ts'

export interface EventQueue {
  /** @param decisions how many decisions nobody hears of when it is lost. */
  push(text: string, decisions: number): void
  /** Tells that decisions are missing here; null is an unknown number of them. */
  gap(dropped: number | null): void
  /** Puts what `work` pushes in front of what waits already. */
  inFront(work: () => void): void
  /** All that waits; empty when nothing came within `ms`, or `wake` was called. */
  next(ms: number): Promise<string>
  wake(): void
}

interface Waiting {
  readonly text: string
  readonly decisions: number
}

export const eventsMax = 2000

export function createEventQueue(): EventQueue {
  let events: Waiting[] = []
  let wake = (): void => {}

  function push(event: Waiting): void {
    events.push(event)
    if (events.length > eventsMax) events = withoutOlderHalf(events)
    wake()
  }

  async function sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    wake = resolve
    await promise
    clearTimeout(timer)
  }

  return {
    push: (text, decisions) => push({ text, decisions }),
    gap: (dropped) => push(gapOf(dropped)),
    inFront: (work) => {
      const later = events
      events = []
      work()
      events.push(...later)
    },
    next: async (ms) => {
      if (events.length === 0) await sleep(ms)
      const text = events.map((event) => event.text).join('')
      events = []
      return text
    },
    wake: () => wake()
  }
}

/** At once: to take off one at a time would move all others each time. */
function withoutOlderHalf(events: readonly Waiting[]): Waiting[] {
  const half = eventsMax / 2
  const dropped = events.slice(0, half).reduce((sum, { decisions }) => sum + decisions, 0)
  return [gapOf(dropped), ...events.slice(half)]
}

function gapOf(dropped: number | null): Waiting {
  const text = serverSentEvent({ event: 'gap', data: JSON.stringify({ dropped }) })
  return { text, decisions: dropped ?? 0 }
}
