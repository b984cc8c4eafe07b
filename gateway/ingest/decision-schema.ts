/** Loads the ID of the decision schema from the registry once and caches it. */
import { backoffMs } from '../../core/backoff.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import { pause } from '../../platform/process/every.ts'
import type { Registry } from '../../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../../schemas/index.ts'

interface DecisionSchema {
  /** Returns the ID, or null until it is loaded. It never changes afterwards. */
  id(): number | null
  /** Loads the ID, retrying until it succeeds. */
  learn(): Promise<void>
  stop(): void
}

const notRegistered = 'decision schema not registered; run: sluice schemas register'
const backoff = { baseMs: 200, capMs: 5000 }

export function createDecisionSchema(dependencies: {
  registry: Registry
  topic: string
  logger: Logger
}): DecisionSchema {
  const { registry, topic, logger } = dependencies
  const subject = subjectOf(topic)
  const stopped = new AbortController()
  let schemaId: number | null = null

  async function fetchId(): Promise<void> {
    try {
      schemaId = await registry.idOf(subject, decisionContract.text)
      if (stopped.signal.aborted) return
      if (schemaId === null) logger.warn({ subject }, notRegistered)
      else logger.info({ subject, schema_id: schemaId }, 'decision schema loaded')
    } catch (error) {
      logger.warn({ subject, error: String(error) }, 'schema registry unavailable')
    }
  }

  return {
    id: () => schemaId,
    learn: async () => {
      for (let attempt = 1; schemaId === null && !stopped.signal.aborted; attempt++) {
        await fetchId()
        if (schemaId === null) {
          await pause(backoffMs(backoff, attempt, Math.random()), stopped.signal)
        }
      }
    },
    stop: () => stopped.abort()
  }
}
