/** Records how far storage has read, so that readers can distinguish "not found" from "not stored
 * yet".
 */
import type { Clock } from '../../core/clock.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import { every } from '../../platform/process/every.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { PartitionProgress } from '../lag.ts'

interface WatermarkDependencies {
  readonly topic: string
  /**
   * Must read the partition ends before the committed offsets. Otherwise, messages written in
   * between would make a group without lag appear to lag.
   */
  readonly readProgress: () => Promise<readonly PartitionProgress[]>
  readonly postgres: Queryable
  readonly clock: Clock
  readonly logger: Logger
}

const tickMs = 1000

/**
 * Records progress every second.
 * @returns a function that stops recording and resolves when the current round has ended
 */
export function startWatermark(dependencies: WatermarkDependencies): () => Promise<void> {
  const samples: EndSamples = new Map()
  const { topic, logger } = dependencies
  const onError = (error: unknown) =>
    logger.debug({ topic, error: String(error) }, 'cannot record the progress of storage')
  const round = () => recordProgress(dependencies, samples)
  return every({ ms: tickMs, jitter: 0, firstAfterMs: tickMs, onError }, round).stop
}

/**
 * Earlier end of a partition. Under steady traffic, a group may never reach the current end, but it
 * passes an earlier one. Once it does, every message that existed at the time `at` is settled.
 */
interface Sample {
  readonly end: bigint
  readonly at: Date
}

export type EndSamples = Map<number, Sample>

/**
 * Records the current progress. After a failure, readers see an older watermark until the next
 * tick.
 */
export async function recordProgress(
  dependencies: WatermarkDependencies,
  samples: EndSamples = new Map()
): Promise<void> {
  const { topic, readProgress, postgres, clock } = dependencies
  const now = new Date(clock.now())
  const partitions = await readProgress()
  const settledAt = partitions.map((progress) => settledUpTo(progress, samples, now))
  await upsertProgress(postgres, { topic, partitions, settledAt })
}

/** Returns the latest time up to which all messages are settled, or null if it is unknown. */
function settledUpTo(
  { partition, committed, end }: PartitionProgress,
  samples: EndSamples,
  now: Date
): Date | null {
  const sample = samples.get(partition)
  const isPassed = sample !== undefined && committed >= sample.end
  if (sample === undefined || isPassed) samples.set(partition, { end, at: now })
  if (committed >= end) return now
  return isPassed ? sample.at : null
}

interface Progress {
  readonly topic: string
  readonly partitions: readonly PartitionProgress[]
  readonly settledAt: readonly (Date | null)[]
}

/**
 * Writes the progress. `as_of` never decreases. It is 1970 for a partition with unknown progress.
 */
async function upsertProgress(postgres: Queryable, { topic, partitions, settledAt }: Progress) {
  await postgres.query(
    `insert into storage_progress as p (topic, partition, next_offset, as_of)
     select $1, seen.partition, seen.next_offset, coalesce(seen.as_of, 'epoch'::timestamptz)
       from unnest($2::integer[], $3::bigint[], $4::timestamptz[])
            as seen (partition, next_offset, as_of)
     on conflict (topic, partition) do update
        set next_offset = excluded.next_offset,
            as_of = greatest(p.as_of, excluded.as_of)`,
    [
      topic,
      partitions.map(({ partition }) => partition),
      partitions.map(({ committed }) => String(committed)),
      settledAt
    ]
  )
}
