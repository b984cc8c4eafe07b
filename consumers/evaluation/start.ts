/** Starts the evaluation group. */
import { createEvaluatorCache } from '../../evaluators/evaluator-cache.ts'
import { createSessionMemory } from '../../evaluators/heuristics/session-memory.ts'
import { systemClock } from '../../platform/clock.ts'
import { createPostgres } from '../../platform/postgres.ts'
import { createGroup } from '../group.ts'
import type { GroupContext } from '../group.ts'
import { createEvaluateAll } from './evaluate.ts'
import { createEvaluation } from './evaluation.ts'
import { createReadExhausted } from './exhausted-rules.ts'
import { createPlanDecisions } from './plan.ts'
import { createPublish } from './publish.ts'
import { createRuleSets } from './rule-sets.ts'
import { createStorePlans } from './store-plans.ts'
import { createTellFailures } from './tell-failures.ts'

const partitionsMax = 3
/** One for each partition under way, and some to read rule sets with. */
const connectionsMax = partitionsMax + 2
const statementTimeoutMs = 30_000

export async function startEvaluation(context: GroupContext): Promise<void> {
  const { config, lifecycle, logger } = context
  const { EVALUATION_GROUP_ID: groupId, EVALUATIONS_TOPIC: topic } = config
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: groupId,
    connectionsMax,
    statementTimeoutMs
  })
  lifecycle.onStop('postgres', () => postgres.close())
  const group = await createGroup({
    ...context,
    groupId,
    topics: [config.DECISIONS_TOPIC],
    partitionsMax
  })
  const { registry, producer, flood, settle, patiently } = group
  const publish = createPublish({ producer, registry, topic })
  const planDecisions = createPlanDecisions({
    ruleSets: createRuleSets({ postgres, clock: systemClock }),
    readExhausted: createReadExhausted(postgres),
    storePlans: createStorePlans({ postgres, addJobs: () => Promise.resolve(), clock: systemClock })
  })
  const evaluateAll = createEvaluateAll({
    clock: systemClock,
    compile: createEvaluatorCache({ sessions: createSessionMemory() }),
    onFailure: createTellFailures({ logger, clock: systemClock })
  })
  await group.run(
    createEvaluation({ registry, planDecisions, evaluateAll, publish, flood, settle, patiently })
  )
}
