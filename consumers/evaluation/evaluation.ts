/** Consumes batches of the evaluation group: plans decisions, then evaluates or defers them. */
import { deferred, TransientError } from '../../core/message-outcome.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { createDecodeDecision } from '../../platform/registry/decoders.ts'
import type { MessageBatch } from '../../platform/kafka/message-consumer.ts'
import { isTransientPostgresError } from '../../platform/postgres/postgres.ts'
import { createConsumeBatch } from '../consume-batch.ts'
import type { ConsumerParts } from '../consume-batch.ts'
import type { Costs } from './deferral/costs.ts'
import type { Defer } from './deferral/defer.ts'
import type { FirstLane } from './deferral/first-lane.ts'
import type { EvaluateAll } from './evaluate.ts'
import type { Planned, PlanDecisions } from './plan.ts'
import type { Publish } from './publish.ts'

interface EvaluationDependencies extends ConsumerParts {
  readonly defer: Defer
  readonly planDecisions: PlanDecisions
  readonly evaluateAll: EvaluateAll
  readonly publish: Publish
  readonly costs: Pick<Costs, 'note'>
  readonly lane: Pick<FirstLane, 'during'>
}

export function createEvaluation(dependencies: EvaluationDependencies) {
  const { groupId, registry, planDecisions, evaluateAll } = dependencies
  const { publish, defer, costs, lane } = dependencies
  return createConsumeBatch<Decision>({
    ...dependencies,
    decode: createDecodeDecision(registry),
    handle: (decisions, batch) => lane.during(() => evaluateBatch(decisions, batch))
  })

  async function evaluateBatch(decisions: readonly Decision[], batch: MessageBatch) {
    const { partition } = batch
    const beyond = await transiently(() => defer.beyondShare(decisions, partition))
    const within = decisions.filter((decision) => !beyond.has(decision))
    const planned = await transiently(() => planDecisions(within, beginOf(batch, groupId)))
    const outcomes = new Map(planned.map(({ decision, outcome }) => [decision, outcome]))
    let ms = 0
    for (const piece of inPieces(fewestFirst(planned))) {
      const rest =
        ms > batchMsMax
          ? await transiently(() => defer.rest(decisionsWithRuns(piece), partition))
          : nothing
      rest.forEach((decision) => outcomes.set(decision, deferred))
      ms += await evaluatePiece(piece.filter(({ decision }) => !rest.has(decision)))
    }
    return decisions.map((decision) => outcomes.get(decision) ?? deferred)
  }

  /** @returns the time spent in evaluators, in milliseconds */
  async function evaluatePiece(piece: readonly Planned[]): Promise<number> {
    const startedAt = performance.now()
    const evaluations = evaluateAll(piece)
    const ms = performance.now() - startedAt
    await publish(evaluations)
    costs.note(piece, evaluations)
    return ms
  }
}

const nothing: ReadonlySet<Decision> = new Set()

function decisionsWithRuns(planned: readonly Planned[]): Decision[] {
  return planned.filter(({ runs }) => runs.length > 0).map(({ decision }) => decision)
}

/**
 * Maximum number of runs in a piece. A piece is held in memory, and evaluating it blocks the event
 * loop.
 */
const runsAtOnce = 2000
/**
 * Evaluator time per batch, in milliseconds. After that, the remaining decisions are deferred if
 * several organizations use this process. Twice the time that organizations share
 * (choose-deferred.ts).
 */
const batchMsMax = 50

/** Puts organizations with few runs first, so that they do not wait for organizations with many. */
function fewestFirst(planned: readonly Planned[]): readonly Planned[] {
  const byOrganization = Map.groupBy(planned, ({ decision }) => decision.organization_id)
  const runsOf = (own: readonly Planned[]): number =>
    own.reduce((sum, { runs }) => sum + runs.length, 0)
  const organizations = [...byOrganization.values()].map((own) => ({ own, runs: runsOf(own) }))
  return organizations.toSorted((one, other) => one.runs - other.runs).flatMap(({ own }) => own)
}

/**
 * Splits decisions into pieces of at most `runsAtOnce` runs, in order. A decision with more runs
 * becomes its own piece.
 */
function* inPieces(planned: readonly Planned[]): Generator<readonly Planned[]> {
  let piece: Planned[] = []
  let runs = 0
  for (const each of planned) {
    if (runs + each.runs.length > runsAtOnce && piece.length > 0) {
      yield piece
      piece = []
      runs = 0
    }
    piece.push(each)
    runs += each.runs.length
  }
  yield piece
}

/**
 * Returns the position at the start of the batch, because its runs are not published yet. Epoch 0
 * disables fencing, which is not needed here: even if two members plan the same batch, each
 * decision gets only one plan.
 */
function beginOf({ topic, partition, messages, nextOffset }: MessageBatch, groupId: string) {
  return { groupId, topic, partition, nextOffset: messages[0]?.offset ?? nextOffset, epoch: 0 }
}

/**
 * Rethrows transient Postgres errors as TransientError. Any other error is a bug, because Postgres
 * accepts the values of every plan.
 */
async function transiently<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!isTransientPostgresError(cause)) throw cause
    throw new TransientError(`Postgres: ${(cause as Error).message}`, { cause })
  }
}
