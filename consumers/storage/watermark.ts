/** Tells readers how far storage has come, so that "not there" and "not there yet" differ. */
import type { Clock } from '../../core/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Queryable } from '../../platform/postgres.ts'

export interface PartitionProgress {
  readonly partition: number
  /** The group's committed offset; 0 when it never committed. */
  readonly committed: bigint
  /** Offset behind the last message. */
  readonly end: bigint
}

export interface WatermarkDependencies {
  readonly topic: string
  /** Ends are read before the committed offsets: what is behind both was there at the start. */
  readonly readProgress: (topic: string) => Promise<readonly PartitionProgress[]>
  readonly postgres: Queryable
  readonly clock: Clock
  readonly logger: Logger
}

const tickMs = 1000

/** Begins to record progress every second; returns what ends it. */
export function startWatermark(dependencies: WatermarkDependencies): () => Promise<void> {
  let running = Promise.resolve()
  let isIdle = true
  const timer = setInterval(() => {
    if (!isIdle) return
    isIdle = false
    running = recordProgress(dependencies).finally(() => void (isIdle = true))
  }, tickMs)

  return async function stop() {
    clearInterval(timer)
    await running
  }
}

/** A tick that fails is only a staler watermark; the next one follows in a second. */
export async function recordProgress(dependencies: WatermarkDependencies): Promise<void> {
  const { topic, readProgress, postgres, clock, logger } = dependencies
  try {
    const asOf = new Date(clock.now())
    await upsertProgress(postgres, { topic, asOf, partitions: await readProgress(topic) })
  } catch (error) {
    logger.debug({ topic, error: String(error) }, 'could not record the progress')
  }
}

interface Progress {
  readonly topic: string
  readonly asOf: Date
  readonly partitions: readonly PartitionProgress[]
}

/** `as_of` moves only for partitions that are settled to their end, and never back. */
async function upsertProgress(postgres: Queryable, { topic, asOf, partitions }: Progress) {
  await postgres.query(
    `insert into storage_progress as p (topic, partition, next_offset, as_of)
     select $1, seen.partition, seen.next_offset,
            case when seen.is_settled then $5::timestamptz else 'epoch'::timestamptz end
       from unnest($2::integer[], $3::bigint[], $4::boolean[])
            as seen (partition, next_offset, is_settled)
     on conflict (topic, partition) do update
        set next_offset = excluded.next_offset,
            as_of = greatest(p.as_of, excluded.as_of)`,
    [
      topic,
      partitions.map(({ partition }) => partition),
      partitions.map(({ committed }) => String(committed)),
      partitions.map(({ committed, end }) => committed >= end),
      asOf
    ]
  )
}
