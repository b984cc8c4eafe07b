/** The evaluation group: every decision is planned; what needs no network is evaluated at once. */
import { TransientError } from '../../core/consumed.ts'
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
import type { EvaluateAll, PlannedDecision } from './evaluate.ts'
import type { PlanDecisions } from './plan.ts'
import type { Publish } from './publish.ts'

export interface EvaluationDependencies {
  readonly registry: Registry
  readonly planDecisions: PlanDecisions
  readonly evaluateAll: EvaluateAll
  readonly publish: Publish
  readonly flood: Flood
  readonly settle: Settle
  readonly patiently: Patiently
  readonly groupId: string
}

export function createEvaluation(dependencies: EvaluationDependencies) {
  const { registry, planDecisions, evaluateAll, publish, flood, settle, patiently } = dependencies
  const { groupId } = dependencies
  return createConsumeBatch<Decision>({
    decode: createDecodeBatch(createDecodeDecision(registry), flood),
    handle: async (decisions, batch) => {
      const begin = beginOf(batch, groupId)
      const planned = await transiently(() => planDecisions(decisions, begin))
      for (const piece of inPieces(fewestFirst(planned))) await publish(evaluateAll(piece))
      return planned.map(({ outcome }) => outcome)
    },
    settle,
    patiently
  })
}

/** What is evaluated and published at once is held in memory, and holds up the event loop. */
const runsAtOnce = 2000

/** Organizations with few runs first: they do not wait for those that have many. */
function fewestFirst(planned: readonly PlannedDecision[]): readonly PlannedDecision[] {
  const ofOne = Map.groupBy(planned, ({ decision }) => decision.organization_id)
  const runsOf = (own: readonly PlannedDecision[]): number =>
    own.reduce((sum, { runs }) => sum + runs.length, 0)
  const organizations = [...ofOne.values()].map((own) => ({ own, runs: runsOf(own) }))
  return organizations.toSorted((one, other) => one.runs - other.runs).flatMap(({ own }) => own)
}

/** In their order; a decision with more runs is a piece of its own. */
function* inPieces(planned: readonly PlannedDecision[]): Generator<readonly PlannedDecision[]> {
  let piece: PlannedDecision[] = []
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
