/** Tells readers how far storage has come, so that "not there" and "not there yet" differ. */
import type { Clock } from '../../core/clock.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { PartitionProgress } from '../lag.ts'

export interface WatermarkDependencies {
  readonly topic: string
  /** Ends are read before the committed offsets: what is behind both was there at the start. */
  readonly readProgress: () => Promise<readonly PartitionProgress[]>
  readonly postgres: Queryable
  readonly clock: Clock
  readonly logger: Logger
}

const tickMs = 1000

/** Begins to record progress every second; returns what ends it. */
export function startWatermark(dependencies: WatermarkDependencies): () => Promise<void> {
  const samples: Samples = new Map()
  let running = Promise.resolve()
  let isIdle = true
  const timer = setInterval(() => {
    if (!isIdle) return
    isIdle = false
    running = recordProgress(dependencies, samples).finally(() => void (isIdle = true))
  }, tickMs)

  return async function stop() {
    clearInterval(timer)
    await running
  }
}

/**
 * Where a partition ended at some moment. Under steady traffic a group is never at the very end,
 * but it passes where the end was: then everything of that moment is settled.
 */
interface Sample {
  readonly end: bigint
  readonly at: Date
}

export type Samples = Map<number, Sample>

/** A tick that fails is only a staler watermark; the next one follows in a second. */
export async function recordProgress(
  dependencies: WatermarkDependencies,
  samples: Samples = new Map()
): Promise<void> {
  const { topic, readProgress, postgres, clock, logger } = dependencies
  try {
    const now = new Date(clock.now())
    const partitions = await readProgress()
    const settledAt = partitions.map((progress) => settledUpTo(progress, samples, now))
    await upsertProgress(postgres, { topic, partitions, settledAt })
  } catch (error) {
    logger.debug({ topic, error: String(error) }, 'could not record the progress')
  }
}

/** The latest moment of which everything is settled, or null while that is not known. */
function settledUpTo(
  { partition, committed, end }: PartitionProgress,
  samples: Samples,
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

/** `as_of` never moves back; a partition of which nothing is known yet has the epoch. */
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
