/** Carries out what was asked to be erased, whoever asked and whatever became of him since. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { eraseChunk } from '../../../store/erasure/erase-chunk.ts'
import { selectUnfinished } from '../../../store/erasure/erasure-table.ts'
import type { Erasure } from '../../../store/erasure/erasure-table.ts'

export interface ErasingOptions {
  readonly postgres: Postgres
  readonly logger: Logger
  /** Aborted when the process was told to stop. */
  readonly signal: AbortSignal
}

const everyMs = 2000

/**
 * Looks for unfinished erasures every two seconds. Instances that find the same one take turns, a
 * few decisions each; what one leaves behind, killed or not, the next one goes on with.
 * @returns what ends it, once the few under way are done.
 */
export function startErasing(options: ErasingOptions): () => Promise<void> {
  const { signal } = options
  const stopped = new AbortController()
  const ended = AbortSignal.any([signal, stopped.signal])
  const running = keepErasing({ ...options, signal: ended })
  return async function stop() {
    stopped.abort()
    await running
  }
}

async function keepErasing(options: ErasingOptions): Promise<void> {
  const { signal, logger } = options
  while (!signal.aborted) {
    try {
      await carryOutErasures(options)
    } catch (error) {
      logger.warn({ error }, 'could not look for what is to be erased; trying again')
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
}

/** One that cannot be carried out now does not hold up the others. */
export async function carryOutErasures(options: ErasingOptions): Promise<void> {
  const { postgres, logger, signal } = options
  for (const erasure of await selectUnfinished(postgres)) {
    const { erasure_id } = erasure
    try {
      if (await eraseAll(options, erasure)) logger.info({ erasure_id }, 'an erasure is finished')
    } catch (error) {
      logger.warn({ error, erasure_id }, 'could not erase all; trying again')
    }
    if (signal.aborted) return
  }
}

/** @returns whether it is finished. */
async function eraseAll({ postgres, signal }: ErasingOptions, erasure: Erasure): Promise<boolean> {
  while (!signal.aborted) {
    if ((await eraseChunk(postgres, erasure)) === null) return true
  }
  return false
}
