/** Evaluates deferred decisions, a piece of each organization in turn, when no batch runs. */
import { backoffMs } from '../../../core/backoff.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { EvaluateAll } from '../evaluate.ts'
import type { PlanDecisions } from '../plan.ts'
import type { Publish } from '../publish.ts'
import { readDecisions } from '../worker/read-decision.ts'
import { pause } from '../worker/pause.ts'
import { areStored } from './are-stored.ts'
import type { PublishedOf } from './are-stored.ts'
import type { Costs } from './costs.ts'
import {
  deleteDeferred,
  deleteRefused,
  nextOrganization,
  postponeDeferred,
  selectDeferred
} from './deferred-decisions.ts'
import type { FirstLane } from './first-lane.ts'

export interface WorkOffOptions {
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

/** Storage reads evaluations in order, so those of others wait for pieces that are not stored. */
const piece = { ms: 100, decisionsMax: 500, charactersMax: 8 * 1024 * 1024, unstoredMax: 3 }
/** Between two looks at the table when nothing is due. */
const idleMs = 250
/** A piece waits for batches no longer than this. */
const laneMsMax = 1000
/** A piece waits for storage no longer than `most`. */
const storedMs = { poll: 20, most: 5000 }
const backoff = { baseMs: 500, capMs: 10_000 }

/** @returns a function that ends the work after the current piece */
export function startWorkOff(options: WorkOffOptions): () => Promise<void> {
  const { postgres, lane, assigned, logger } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let organizationId: string | null = null
  const published: (readonly PublishedOf[])[] = []

  /** @returns whether there may be more to do */
  async function workOff(): Promise<boolean> {
    const partitions = assigned()
    organizationId = await nextOrganization(postgres, partitions, organizationId)
    if (organizationId === null) return false
    const evaluated = await evaluatePiece(options, organizationId, partitions)
    if (evaluated === null) return false
    published.push(evaluated)
    if (published.length >= piece.unstoredMax) await untilStored(published.shift() ?? [])
    return true
  }

  async function untilStored(decisions: readonly PublishedOf[]): Promise<void> {
    for (let waitedMs = 0; waitedMs < storedMs.most; waitedMs += storedMs.poll) {
      if (signal.aborted || (await areStored(postgres, decisions))) return
      await pause(storedMs.poll, signal)
    }
  }

  async function loop(): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      await lane.idle(laneMsMax)
      try {
        const isMore = await workOff()
        failures = 0
        if (!isMore) await pause(idleMs, signal)
      } catch (error) {
        failures += 1
        logger.warn(
          { error, organization_id: organizationId },
          'could not evaluate deferred decisions; retrying'
        )
        await pause(backoffMs(backoff, failures, Math.random()), signal)
      }
    }
  }

  const looping = loop()
  return async function stop() {
    stopping.abort()
    await looping
  }
}

/**
 * Deletes the rows once the evaluations are published: a kill before that repeats the piece, with
 * the same plans and ids.
 * @returns the published evaluations; null when no decision of the piece is stored yet
 */
async function evaluatePiece(
  options: WorkOffOptions,
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
  await deleteRefused(postgres, topic, absent)
  await postponeDeferred(postgres, absent)
  if (ready.length === 0) return null
  // An erased or dropped decision is not evaluated; its row is deleted with the others.
  const decisions = found.filter((each): each is Decision => typeof each !== 'string')
  const planned = await planDecisions(decisions, null)
  const evaluations = evaluateAll(planned)
  await publish(evaluations)
  costs.note(planned, evaluations)
  await deleteDeferred(postgres, ready)
  return evaluations
}
