/** Hands what was noted to Redis, every few seconds and off the path of a request.
 *
 * While Redis is away the facts stay here, hour by hour, as many as may be. A batch that got no
 * answer is sent as it is until it gets one, so that it counts once.
 */
import type { Clock } from '../core/clock.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { DrainedFacts } from './facts.ts'
import { hourOf } from './fact-names.ts'
import type { NotedFacts } from './noted-facts.ts'
import type { FactBatch, WriteFacts } from './write-facts.ts'

export interface FlushFactsDependencies {
  readonly noted: Pick<NotedFacts, 'drain'>
  readonly write: WriteFacts
  readonly clock: Clock
  readonly metrics: Metrics
}

/** Never throws; whoever asks while it runs waits for the running one. */
export type FlushFacts = () => Promise<void>

/** Batches that wait, each of another hour. The oldest goes first. */
export const batchesMax = 6

export function createFlushFacts(dependencies: FlushFactsDependencies): FlushFacts {
  const { noted, write, clock, metrics } = dependencies
  const batches: FactBatch[] = []
  let sequence = 0
  let running: Promise<void> | null = null
  /** Of what is being noted. */
  let hour = hourOf(clock.now())

  /** What is noted goes on being noted while older batches wait, until the hour is over. */
  function take(): void {
    const now = hourOf(clock.now())
    if (batches.length > 0 && now === hour) return
    const facts = noted.drain()
    if (!isEmpty(facts)) batches.push({ hour, sequence: (sequence += 1), facts })
    hour = now
    if (batches.length <= batchesMax) return
    batches.shift()
    metrics.count('sluice_facts_left_out_total', { kind: 'batch' })
  }

  async function writeAll(): Promise<void> {
    take()
    try {
      for (let [batch] = batches; batch !== undefined; [batch] = batches) {
        await write(batch)
        batches.shift()
        metrics.count('sluice_facts_flushes_total', { outcome: 'written' })
      }
    } catch {
      metrics.count('sluice_facts_flushes_total', { outcome: 'failed' })
    }
  }

  return function flushFacts() {
    running ??= writeAll().finally(() => {
      running = null
    })
    return running
  }
}

function isEmpty({ keys, organizations }: DrainedFacts): boolean {
  return keys.size === 0 && organizations.size === 0
}
