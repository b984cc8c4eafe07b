/** The evaluation group: plans decisions and evaluates what needs no network, or defers them. */
import { deferred, TransientError } from '../../core/consumed.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { createDecodeDecision } from '../../platform/registry/decoders.ts'
import type { MessageBatch } from '../../platform/kafka/message-consumer.ts'
import { isTransientStoreError } from '../../platform/postgres/postgres.ts'
import type { Registry } from '../../platform/registry/schema-registry.ts'
import { createDecodeBatch } from '../decode-batch.ts'
import type { Flood } from '../flood.ts'
import type { Patiently } from '../patiently.ts'
import { createConsumeBatch } from '../run-consumer.ts'
import type { Settle } from '../settle.ts'
import type { Costs } from './deferral/costs.ts'
import type { Defer } from './deferral/defer.ts'
import type { FirstLane } from './deferral/first-lane.ts'
import type { EvaluateAll } from './evaluate.ts'
import type { Planned, PlanDecisions } from './plan.ts'
import type { Publish } from './publish.ts'

export interface EvaluationDependencies {
  readonly registry: Registry
  readonly defer: Defer
  readonly planDecisions: PlanDecisions
  readonly evaluateAll: EvaluateAll
  readonly publish: Publish
  readonly costs: Pick<Costs, 'note'>
  readonly lane: Pick<FirstLane, 'during'>
  readonly flood: Flood
  readonly settle: Settle
  readonly patiently: Patiently
  readonly groupId: string
}

export function createEvaluation(dependencies: EvaluationDependencies) {
  const { registry, planDecisions, evaluateAll, publish, flood, settle, patiently } = dependencies
  const { groupId, defer, costs, lane } = dependencies
  return createConsumeBatch<Decision>({
    decode: createDecodeBatch(createDecodeDecision(registry), flood),
    handle: (decisions, batch) => lane.during(() => evaluateBatch(decisions, batch)),
    settle,
    patiently
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

  /** @returns how long the evaluators took, in milliseconds */
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

/** A piece is held in memory, and its evaluation blocks the event loop. */
const runsAtOnce = 2000
/** After this time of evaluators, the rest of the batch is deferred: twice the shared time. */
const batchMsMax = 50

/** Organizations with few runs come first, and do not wait for those with many. */
function fewestFirst(planned: readonly Planned[]): readonly Planned[] {
  const byOrganization = Map.groupBy(planned, ({ decision }) => decision.organization_id)
  const runsOf = (own: readonly Planned[]): number =>
    own.reduce((sum, { runs }) => sum + runs.length, 0)
  const organizations = [...byOrganization.values()].map((own) => ({ own, runs: runsOf(own) }))
  return organizations.toSorted((one, other) => one.runs - other.runs).flatMap(({ own }) => own)
}

/** In order; a decision with more than `runsAtOnce` runs is a piece of its own. */
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
 * Where the batch begins: what is planned is not published yet. Nobody is fenced, since a batch
 * that two members plan has one plan all the same.
 */
function beginOf({ topic, partition, messages, nextOffset }: MessageBatch, groupId: string) {
  return { groupId, topic, partition, nextOffset: messages[0]?.offset ?? nextOffset, epoch: 0 }
}

/** Plans hold nothing that the store refuses, so what it says otherwise is a bug. */
async function transiently<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!isTransientStoreError(cause)) throw cause
    throw new TransientError(`the store: ${(cause as Error).message}`, { cause })
  }
}
