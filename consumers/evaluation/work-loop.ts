/** Takes due items while there is capacity, and works on them concurrently. */
import { every } from '../../platform/process/every.ts'
import type { EveryOptions } from '../../platform/process/every.ts'

interface WorkLoopOptions<Item> {
  /** Leases up to `itemsMax` due items to this process. */
  readonly take: (itemsMax: number) => Promise<readonly Item[]>
  /** Never rejects. */
  readonly work: (item: Item) => Promise<void>
  readonly concurrencyMax: number
}

export interface WorkLoop {
  /** Stops taking items. Resolves when no item is being taken. */
  stop(): Promise<void>
  /** Resolves when no item is in progress. */
  settled(): Promise<void>
}

/** @param pauses the pauses between checks for due items while none are found */
export function startWorkLoop<Item>(
  { take, work, concurrencyMax }: WorkLoopOptions<Item>,
  pauses: EveryOptions
): WorkLoop {
  const underWay = new Set<Promise<void>>()

  async function round(): Promise<boolean> {
    const room = concurrencyMax - underWay.size
    const items = room > 0 ? await take(room) : []
    for (const item of items) {
      const working = work(item).finally(() => {
        underWay.delete(working)
        // The finished item frees a slot, in this process or on its connection, for another due
        // item.
        repetition.nudge()
      })
      underWay.add(working)
    }
    return items.length > 0
  }

  const repetition = every(pauses, round)
  return {
    stop: repetition.stop,
    settled: async () => {
      await Promise.all(underWay)
    }
  }
}
