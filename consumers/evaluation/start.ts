/** Starts the evaluation group, its deferred decisions, and the worker of runs that end later. */
import type { RunKey } from '../../core/evaluation/evaluation.ts'
import { builtInEvaluators } from '../../evaluators/default-rule-set.ts'
import { createEvaluatorCache } from '../../evaluators/evaluator-cache.ts'
import { createSessionMemory } from '../../evaluators/heuristics/session-memory.ts'
import { isOwnCall } from '../../evaluators/planning/plan-rules.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { createJobQueue } from '../../platform/postgres/job-queue.ts'
import type { JobQueue } from '../../platform/postgres/job-queue.ts'
import { createKafkaProducer } from '../../platform/kafka/producer/kafka-producer.ts'
import { kafkaSecurityOf } from '../../platform/kafka/kafka-security.ts'
import { createOutbound } from '../../platform/http-client/outbound.ts'
import { createPostgres } from '../../platform/postgres/postgres.ts'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import type { RecordProducer } from '../../platform/kafka/record-producer.ts'
import { createSealer } from '../../platform/security/sealed-secret.ts'
import { createMember } from '../group.ts'
import type { GroupContext, Member } from '../group.ts'
import { createCosts } from './deferral/costs.ts'
import { createDefer } from './deferral/defer.ts'
import { createFirstLane } from './deferral/first-lane.ts'
import { startWorkOff } from './deferral/work-off.ts'
import { createEvaluateAll } from './evaluate.ts'
import { createEvaluation } from './evaluation.ts'
import { createReadExhausted } from './exhausted-rules.ts'
import { openWebhooks } from './open-webhooks.ts'
import { createPlanDecisions } from './plan.ts'
import { createPublish } from './publish.ts'
import type { Publish } from './publish.ts'
import { createRuleSets } from './rule-sets.ts'
import { createStorePlans } from './store-plans.ts'
import { createTellFailures } from './tell-failures.ts'
import { createAskJudge } from './worker/ask-judge.ts'
import { createEvaluateOne } from './worker/evaluate-one.ts'
import { startWorker } from './worker/start-worker.ts'

const partitionsMax = 3
/** One for each partition under way, and some to read rule sets and deferred decisions with. */
const connectionsMax = partitionsMax + 4
/** For claims and ends of runs, which are short; calls hold none. */
const workerConnectionsMax = 6
const statementTimeoutMs = 30_000
const produceDeadlineMs = 10_000
/** Of what a stop may take, the share that calls under way are waited for. */
const drainShare = 0.6

export async function startEvaluation(context: GroupContext): Promise<void> {
  const { config, lifecycle, logger } = context
  const { EVALUATION_GROUP_ID: groupId, EVALUATIONS_TOPIC: topic } = config
  const postgres = openPostgres(context, groupId, connectionsMax)
  const workerPostgres = openPostgres(context, `${groupId} worker`, workerConnectionsMax)
  const member = await createMember({ ...context, clientId: groupId })
  const group = member.group({ groupId, topic: config.DECISIONS_TOPIC, partitionsMax })
  const { registry, flood, patiently } = member
  const { settle } = group
  const queue = createJobQueue<RunKey>({
    postgres: workerPostgres,
    name: 'evaluation-runs',
    onError: (error) => logger.warn({ error }, 'the queue of runs')
  })
  lifecycle.onStop('queue of runs', () => queue.stop())
  const publish = createPublish({ producer: openProducer(context), registry, topic })
  const compile = createEvaluatorCache({ sessions: createSessionMemory() })
  const onFailure = createTellFailures({ logger, clock: systemClock })
  work(context, member, { postgres: workerPostgres, queue, publish, compile, onFailure })
  openWebhooks(context, member.metrics)

  const costs = createCosts()
  const lane = createFirstLane()
  const steps = {
    planDecisions: createPlanDecisions({
      ruleSets: createRuleSets({ postgres, clock: systemClock }),
      readExhausted: createReadExhausted(postgres),
      storePlans: createStorePlans({ postgres, addJobs: queue.add, clock: systemClock })
    }),
    evaluateAll: createEvaluateAll({ clock: systemClock, compile, onFailure }),
    publish,
    costs,
    lane
  }
  const { assigned } = group
  const deferral = { postgres, topic: config.DECISIONS_TOPIC, assigned, logger }
  lifecycle.onStop('deferred decisions', startWorkOff({ ...steps, ...deferral }))
  const defer = createDefer({ postgres, costs })
  await group.run(
    createEvaluation({ ...steps, registry, defer, flood, settle, patiently, groupId })
  )
}

/** The gateway's: evaluations are most of what this process does for the network. */
function openProducer({ config, lifecycle }: GroupContext): RecordProducer {
  const producer = createKafkaProducer({
    brokers: config.KAFKA_BROKERS,
    clientId: config.EVALUATION_GROUP_ID,
    security: kafkaSecurityOf(config),
    topics: [config.EVALUATIONS_TOPIC],
    deadlineMs: produceDeadlineMs
  })
  lifecycle.onStop('producer of evaluations', () => producer.close())
  return producer
}

function openPostgres({ config, lifecycle }: GroupContext, name: string, most: number): Postgres {
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: name,
    connectionsMax: most,
    statementTimeoutMs
  })
  lifecycle.onStop(`postgres of ${name}`, () => postgres.close())
  return postgres
}

interface WorkParts {
  readonly postgres: Postgres
  readonly queue: JobQueue<RunKey>
  readonly publish: Publish
  readonly compile: ReturnType<typeof createEvaluatorCache>
  readonly onFailure: ReturnType<typeof createTellFailures>
}

function work({ config, lifecycle, logger }: GroupContext, group: Member, parts: WorkParts) {
  const { postgres, queue, publish, compile, onFailure } = parts
  const outbound = createOutbound({ privateAddressesAllowed: config.PRIVATE_ADDRESSES_ALLOWED })
  lifecycle.onStop('calls to judges', () => outbound.close())
  const sealer = config.SECRETS_KEY === null ? null : createSealer(config.SECRETS_KEY)
  const stop = startWorker({
    ...{ postgres, queue, publish, logger, metrics: group.metrics },
    judge: createAskJudge({ sealer, fetch: outbound.fetch, clock: systemClock }),
    evaluate: createEvaluateOne({ compile, onFailure }),
    isOwnCall,
    builtIn: builtInEvaluators,
    concurrencyMax: config.JUDGE_CALLS_MAX,
    drainMs: config.SHUTDOWN_DEADLINE_MS * drainShare
  })
  lifecycle.onStop('worker', stop)
}
