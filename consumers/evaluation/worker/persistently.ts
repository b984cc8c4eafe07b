/** Repeats what fails because the store is away, until it succeeds or the process ends. */
import { backoffMs } from '../../../core/backoff.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import { isTransientStoreError } from '../../../platform/postgres/postgres.ts'
import { pause } from './pause.ts'

/** @throws what is no trouble that passes, or the last of it once the signal is aborted. */
export type Persistently = <R>(work: () => Promise<R>) => Promise<R>

export interface PersistentlyOptions {
  readonly logger: Logger
  readonly signal: AbortSignal
}

const backoff = { baseMs: 100, capMs: 5000 }

export function createPersistently({ logger, signal }: PersistentlyOptions): Persistently {
  return async function persistently(work) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (signal.aborted || !isTransientStoreError(error)) throw error
        logger.warn({ error, attempt }, 'the store is away; waiting to write how a run ended')
        await pause(backoffMs(backoff, attempt, Math.random()), signal)
      }
    }
  }
}
