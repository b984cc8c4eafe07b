/** Starts the evaluation process: the consumer group, deferred decisions, the worker for pending
 * runs, and webhooks.
 */
import { builtInEvaluators } from '../../evaluators/default-rule-set.ts'
import { createEvaluatorCache } from '../../evaluators/evaluator-cache.ts'
import { createSessionMemory } from '../../evaluators/heuristics/session-memory.ts'
import { isOwnCall } from '../../evaluators/planning/plan-rules.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { createKafkaProducer } from '../../platform/kafka/producer/kafka-producer.ts'
import { kafkaSecurityOf } from '../../platform/kafka/kafka-security.ts'
import { createOutbound } from '../../platform/http-client/outbound.ts'
import type { RecordProducer } from '../../platform/kafka/record-producer.ts'
import { createSealer } from '../../platform/security/sealed-secret.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { createMember, openPostgres } from '../group.ts'
import type { GroupContext } from '../group.ts'
import { createCosts } from './deferral/costs.ts'
import { createDefer } from './deferral/defer.ts'
import { createFirstLane } from './deferral/first-lane.ts'
import { startEvaluateDeferred } from './deferral/evaluate-deferred.ts'
import { createEvaluateAll } from './evaluate.ts'
import { createEvaluation } from './evaluation.ts'
import { createReadExhausted } from './exhausted-rules.ts'
import { openWebhooks } from './open-webhooks.ts'
import { createPlanDecisions } from './plan.ts'
import { createPublish } from './publish.ts'
import type { Publish } from './publish.ts'
import { createRuleSets } from './rule-sets.ts'
import { createStorePlans } from './store-plans.ts'
import { createReportFailures } from './report-failures.ts'
import { createAskJudge } from './worker/ask-judge.ts'
import { createEvaluateOne } from './worker/evaluate-one.ts'
import { startWorker } from './worker/start-worker.ts'

const partitionsMax = 3
/**
 * Maximum number of Postgres connections: one per concurrent partition, and some for rule sets and
 * deferred decisions.
 */
const connectionsMax = partitionsMax + 4
/**
 * Maximum number of Postgres connections of the worker. The worker claims and ends runs in short
 * transactions, and holds no connection during a judge call.
 */
const workerConnectionsMax = 6
const produceDeadlineMs = 10_000
/** Share of the shutdown deadline that in-flight judge calls may use. */
const drainShare = 0.6

export async function startEvaluation(context: GroupContext): Promise<void> {
  const { config, lifecycle, logger } = context
  const { EVALUATION_GROUP_ID: groupId, EVALUATIONS_TOPIC: topic } = config
  const postgres = openPostgres(context, { name: groupId, connectionsMax })
  const member = await createMember({ ...context, clientId: groupId })
  const group = member.group({ groupId, topic: config.DECISIONS_TOPIC, partitionsMax })
  const { registry, assigned } = group
  const { metrics } = member
  const publish = createPublish({ producer: openProducer(context), registry, topic })
  const compile = createEvaluatorCache({ sessions: createSessionMemory() })
  const onFailure = createReportFailures({ logger, clock: systemClock })
  const stopWorker = openWorker(context, { metrics, publish, compile, onFailure })
  const stopWebhooks = openWebhooks(context, metrics)
  // In parallel, because each can need most of the deadline, and the worker must not begin calls
  // while webhooks wait for a receiver.
  lifecycle.onStop('worker and webhooks', async () => {
    await Promise.all([stopWorker(), stopWebhooks()])
  })

  const costs = createCosts()
  const lane = createFirstLane()
  const steps = {
    planDecisions: createPlanDecisions({
      ruleSets: createRuleSets({ postgres, clock: systemClock }),
      readExhausted: createReadExhausted(postgres),
      storePlans: createStorePlans({ postgres, clock: systemClock })
    }),
    evaluateAll: createEvaluateAll({ clock: systemClock, compile, onFailure }),
    publish,
    costs,
    lane
  }
  const deferral = { postgres, topic: config.DECISIONS_TOPIC, assigned, logger }
  lifecycle.onStop('deferred decisions', startEvaluateDeferred({ ...steps, ...deferral }))
  const defer = createDefer({ postgres, costs })
  await group.run(createEvaluation({ ...group, ...steps, defer }))
}

/**
 * Creates a producer of the kind that the gateway uses. This kind takes a third of the CPU time of
 * the kafkajs producer (docs/adr/0001-kafka-clients.md), which matters because this process mostly
 * sends evaluations.
 */
function openProducer({ config, lifecycle }: GroupContext): RecordProducer {
  const producer = createKafkaProducer({
    brokers: config.KAFKA_BROKERS,
    clientId: config.EVALUATION_GROUP_ID,
    security: kafkaSecurityOf(config),
    topic: config.EVALUATIONS_TOPIC,
    deadlineMs: produceDeadlineMs
  })
  lifecycle.onStop('evaluations producer', () => producer.close())
  return producer
}

interface WorkerParts {
  readonly metrics: Metrics
  readonly publish: Publish
  readonly compile: ReturnType<typeof createEvaluatorCache>
  readonly onFailure: ReturnType<typeof createReportFailures>
}

/** @returns a function that stops the worker */
function openWorker(context: GroupContext, parts: WorkerParts) {
  const { config, lifecycle, logger } = context
  const { metrics, publish, compile, onFailure } = parts
  const postgres = openPostgres(context, {
    name: `${config.EVALUATION_GROUP_ID} worker`,
    connectionsMax: workerConnectionsMax
  })
  const outbound = createOutbound({ privateAddressesAllowed: config.PRIVATE_ADDRESSES_ALLOWED })
  lifecycle.onStop('judge calls', () => outbound.close())
  const sealer = config.SECRETS_KEY === null ? null : createSealer(config.SECRETS_KEY)
  return startWorker({
    postgres,
    publish,
    logger,
    metrics,
    judge: createAskJudge({ sealer, fetch: outbound.fetch, clock: systemClock }),
    evaluate: createEvaluateOne({ compile, onFailure }),
    isOwnCall,
    builtIn: builtInEvaluators,
    concurrencyMax: config.JUDGE_CALLS_MAX,
    drainMs: config.SHUTDOWN_DEADLINE_MS * drainShare
  })
}
