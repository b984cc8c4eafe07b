/** Learns the id of the decision schema from the registry, once, and keeps it. */
import { backoffMs } from '../../core/backoff.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Registry } from '../../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../../schemas/index.ts'

export interface DecisionSchema {
  /** The id, or null until the registry has answered. Never changes again. */
  id(): number | null
  /** Begins to ask, and asks until there is an answer. */
  learn(): Promise<void>
  stop(): void
}

const backoff = { baseMs: 200, capMs: 5000 }

export function createDecisionSchema(dependencies: {
  registry: Registry
  topic: string
  logger: Logger
}): DecisionSchema {
  const { registry, topic, logger } = dependencies
  const subject = subjectOf(topic)
  const stopped = new AbortController()
  let known: number | null = null

  async function ask(): Promise<void> {
    try {
      known = await registry.idOf(subject, decisionContract.text)
      if (stopped.signal.aborted) return
      if (known === null) logger.warn({ subject }, 'schema not registered: sluice schemas register')
      else logger.info({ subject, schema_id: known }, 'learnt the schema id')
    } catch (error) {
      logger.warn({ subject, error: String(error) }, 'the registry does not answer')
    }
  }

  return {
    id: () => known,
    learn: async () => {
      for (let attempt = 1; known === null && !stopped.signal.aborted; attempt++) {
        await ask()
        if (known === null) await pause(backoffMs(backoff, attempt, Math.random()))
      }
    },
    stop: () => stopped.abort()
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
