/** Evaluates deferred decisions between batches, taking one piece from each organization in turn.
 */
import type { Decision } from '../../../core/decision/decision.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { EvaluateAll } from '../evaluate.ts'
import type { PlanDecisions } from '../plan.ts'
import type { Publish } from '../publish.ts'
import { readDecisions } from '../worker/read-decision.ts'
import { every, pause } from '../../../platform/process/every.ts'
import { areStored } from './are-stored.ts'
import type { PublishedOf } from './are-stored.ts'
import type { Costs } from './costs.ts'
import {
  deleteDeferred,
  deleteRejected,
  nextOrganization,
  postponeDeferred,
  selectDeferred
} from './deferred-decisions.ts'
import type { FirstLane } from './first-lane.ts'

export interface EvaluateDeferredOptions {
  readonly postgres: Postgres
  readonly planDecisions: PlanDecisions
  readonly evaluateAll: EvaluateAll
  readonly publish: Publish
  readonly costs: Costs
  readonly lane: Pick<FirstLane, 'idle'>
  /** Name of the decisions topic. */
  readonly topic: string
  /** Partitions of the topic that this process consumes. */
  readonly assigned: () => readonly number[]
  readonly logger: Logger
}

/**
 * Limits of a piece. `unstoredMax` is the maximum number of published pieces that storage has not
 * stored yet. Unstored pieces delay other organizations, because storage reads evaluations in
 * order.
 */
const piece = { ms: 100, decisionsMax: 500, charactersMax: 8 * 1024 * 1024, unstoredMax: 3 }
/** Poll interval while no decision is due. */
const idleMs = 250
/** Maximum time that a piece waits for batches to finish. */
const laneMsMax = 1000
/** Poll interval while a piece waits for storage, and the maximum time to wait. */
const storedMs = { poll: 20, most: 5000 }
const backoff = { baseMs: 500, capMs: 10_000 }

/** @returns a function that stops evaluating and resolves when the current piece has ended */
export function startEvaluateDeferred(options: EvaluateDeferredOptions): () => Promise<void> {
  const { postgres, lane, assigned, logger } = options
  let organizationId: string | null = null
  const published: (readonly PublishedOf[])[] = []

  /** @returns whether more decisions may be due */
  async function evaluateNext(signal: AbortSignal): Promise<boolean> {
    const partitions = assigned()
    organizationId = await nextOrganization(postgres, partitions, organizationId)
    if (organizationId === null) return false
    const evaluated = await evaluatePiece(options, organizationId, partitions)
    if (evaluated === null) return false
    published.push(evaluated)
    if (published.length >= piece.unstoredMax) {
      await untilStored(published.shift() ?? [], signal)
    }
    return true
  }

  async function untilStored(
    decisions: readonly PublishedOf[],
    signal: AbortSignal
  ): Promise<void> {
    for (let waitedMs = 0; waitedMs < storedMs.most; waitedMs += storedMs.poll) {
      if (signal.aborted || (await areStored(postgres, decisions))) return
      await pause(storedMs.poll, signal)
    }
  }

  return every(
    {
      ms: idleMs,
      backoff,
      onError: (error) =>
        logger.warn(
          { error, organization_id: organizationId },
          'cannot evaluate deferred decisions; retrying'
        )
    },
    async (signal) => {
      await lane.idle(laneMsMax)
      return await evaluateNext(signal)
    }
  ).stop
}

/**
 * Evaluates one piece and deletes its rows last. If the process is killed before that, the piece is
 * evaluated again with the same plans and IDs.
 * @returns the published evaluations, or null if no decision of the piece is stored yet
 */
async function evaluatePiece(
  options: EvaluateDeferredOptions,
  organizationId: string,
  partitions: readonly number[]
): Promise<readonly PublishedOf[] | null> {
  const { postgres, topic, planDecisions, evaluateAll, publish, costs } = options
  const decisionsMax = Math.max(1, Math.floor(piece.ms / costs.of(organizationId)))
  const most = {
    decisions: Math.min(piece.decisionsMax, decisionsMax),
    characters: piece.charactersMax
  }
  const deferred = await selectDeferred(postgres, { organizationId, partitions, most })
  const found = await readDecisions(postgres, deferred)
  const absent = deferred.filter((_, index) => found[index] === 'absent')
  const ready = deferred.filter((_, index) => found[index] !== 'absent')
  await deleteRejected(postgres, topic, absent)
  await postponeDeferred(postgres, absent)
  if (ready.length === 0) return null
  // Does not evaluate erased or dropped decisions. Their rows are deleted below.
  const decisions = found.filter((each): each is Decision => typeof each !== 'string')
  const planned = await planDecisions(decisions, null)
  const evaluations = evaluateAll(planned)
  await publish(evaluations)
  costs.note(planned, evaluations)
  await deleteDeferred(postgres, ready)
  return evaluations
}
