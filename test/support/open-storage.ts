/** Stores decisions and evaluations in a new database, without Kafka. */
import { createEvaluateAll } from '../../consumers/evaluation/evaluate.ts'
import { createStoreDecisions } from '../../consumers/storage/store-decisions.ts'
import { createStoreEvaluations } from '../../consumers/storage/store-evaluations.ts'
import { createSubscribers } from '../../consumers/storage/subscribers.ts'
import { createNotifyCompleted } from '../../consumers/storage/notify-completed.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { defaultRuleSet } from '../../evaluators/default-rule-set.ts'
import { createEvaluatorCache } from '../../evaluators/evaluator-cache.ts'
import { plannedRunsOf } from '../../evaluators/planning/plan-rules.ts'
import { createPostgres } from '../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../platform/postgres/postgres.ts'
import { systemClock as clock } from '../../platform/process/clock.ts'
import { noon } from './builders.ts'
import { onEnd } from './cleanup.ts'
import { createTestDatabase } from './database.ts'
import type { TestDatabase } from './database.ts'

export interface OpenStorage {
  readonly database: TestDatabase
  readonly postgres: PostgresPool
  /** @returns the outcome kind of each decision */
  storeDecisions(...decisions: readonly Decision[]): Promise<readonly string[]>
  /** @returns the outcome kind of each evaluation */
  storeEvaluations(...evaluations: readonly Evaluation[]): Promise<readonly string[]>
}

const plan = { rule_set_version: 0, outcomes: ['planned'] }
const evaluateAll = createEvaluateAll({
  clock: { now: () => noon + 40 },
  compile: createEvaluatorCache({ sessions: null }),
  onFailure: () => {}
})

/** Evaluates decisions with the default rule set. */
export function evaluated(...decisions: readonly Decision[]): Evaluation[] {
  const runs = plannedRunsOf(defaultRuleSet, plan.outcomes)
  return evaluateAll(decisions.map((decision) => ({ decision, plan, runs })))
}

export async function openStorage(connectionsMax = 4): Promise<OpenStorage> {
  const database = await createTestDatabase()
  const limits = { connectionsMax, statementTimeoutMs: 20_000 }
  const postgres = createPostgres({ url: database.url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
  const subscribers = createSubscribers({ clock })
  const notifyCompleted = createNotifyCompleted({ subscribers, clock, onDropped: () => {} })
  const storeDecisions = createStoreDecisions({ postgres })
  const storeEvaluations = createStoreEvaluations({ postgres, notifyCompleted })
  let offset = 0n

  /** Returns a position in a new partition for each call, so that calls can run concurrently. */
  function place() {
    offset += 1n
    return { groupId: 'g', topic: 't', partition: Number(offset), nextOffset: offset, epoch: 0 }
  }

  return {
    ...{ database, postgres },
    storeDecisions: async (...decisions) =>
      (await storeDecisions(decisions, place())).map(({ kind }) => kind),
    storeEvaluations: async (...evaluations) =>
      (await storeEvaluations(evaluations, place())).map(({ kind }) => kind)
  }
}
