/** Carries out recorded erasures, even if the account that requested them no longer exists. */
import type { Logger } from '../../../platform/telemetry/logger.ts'
import { every } from '../../../platform/process/every.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { eraseChunk } from '../../../store/erasure/erase-chunk.ts'
import { selectUnfinished } from '../../../store/erasure/erasure-table.ts'
import type { Erasure } from '../../../store/erasure/erasure-table.ts'

interface ErasingOptions {
  readonly postgres: Postgres
  readonly logger: Logger
  /** Aborted when the process shuts down. */
  readonly signal: AbortSignal
}

const everyMs = 2000

/**
 * Carries out erasures every two seconds. Several instances can work on the same erasure, one chunk
 * of decisions at a time.
 * @returns a function that stops erasing and resolves when the current chunk has ended
 */
export function startErasures(options: ErasingOptions): () => Promise<void> {
  const { signal, logger } = options
  const onError = (error: unknown) =>
    logger.warn({ error }, 'cannot read unfinished erasures; retrying')
  return every({ ms: everyMs, onError }, (stopped) =>
    carryOutErasures({ ...options, signal: AbortSignal.any([signal, stopped]) })
  ).stop
}

/**
 * Carries out the oldest unfinished erasures, up to 100. A failed erasure does not stop the others.
 */
async function carryOutErasures(options: ErasingOptions): Promise<void> {
  const { postgres, logger, signal } = options
  for (const erasure of await selectUnfinished(postgres)) {
    const { erasure_id } = erasure
    try {
      if (await eraseAll(options, erasure)) logger.info({ erasure_id }, 'erasure finished')
    } catch (error) {
      logger.warn({ error, erasure_id }, 'erasure failed; retrying')
    }
    if (signal.aborted) return
  }
}

/** @returns whether the erasure is finished */
async function eraseAll({ postgres, signal }: ErasingOptions, erasure: Erasure): Promise<boolean> {
  while (!signal.aborted) {
    if ((await eraseChunk(postgres, erasure)) === null) return true
  }
  return false
}
