/** finish: what an attempt came to, written once: run, attempt, cost, and its connection. */
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import type { Job, JobQueue } from '../../../platform/postgres/job-queue.ts'
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'
import { endAttempt } from './attempts.ts'
import { circuitAfter, circuitEventOf, isSettledBy } from './connections/circuit.ts'
import type { Circuit } from './connections/circuit.ts'
import type { ClaimedRun } from './claimed-run.ts'
import { connectionOf, lockCircuit, readCircuit, writeCircuit } from './connections/connections.ts'
import { endRun } from './end-run.ts'
import type { JudgeOutcome } from './judge-outcome.ts'
import { moveRun, readOpenRun } from './open-run.ts'
import type { OpenRun } from './open-run.ts'
import { settlementOf } from './settlement.ts'
import type { Settlement } from './settlement.ts'
import { addSpending } from './connections/spend.ts'

/** One attempt, behind its call. */
export interface Attempted {
  readonly claimed: ClaimedRun
  readonly job: Job<RunKey>
  readonly outcome: JudgeOutcome
  readonly durationMs: number
}

/** `waiting`: it is tried again. `lost`: somebody else has it, or nobody, since it was erased. */
export type Finished =
  { readonly kind: 'ended'; readonly run: OpenRun } | { readonly kind: 'waiting' | 'lost' }

/** In one transaction; may be called again when it failed. */
export type Finish = (attempted: Attempted) => Promise<Finished>

export interface FinishDependencies {
  readonly postgres: Postgres
  readonly queue: Pick<JobQueue<RunKey>, 'complete' | 'later'>
}

export function createFinish({ postgres, queue }: FinishDependencies): Finish {
  return function finish(attempted) {
    const { claimed, job } = attempted
    return postgres.transaction(async (transaction) => {
      const circuit = await noteForConnection(transaction, attempted)
      const run = await readOpenRun(transaction, claimed.run, { isLocked: true })
      const isOurs = run?.status === 'running' && run.lease_token === claimed.token
      const surroundings = { circuit, random: Math.random() }
      const settlement = settlementOf(run ?? claimed.run, attempted.outcome, surroundings)
      await record(transaction, attempted, settlement)
      if (!isOurs) {
        await queue.complete(job, transaction)
        return { kind: 'lost' }
      }
      const finished = await settle(transaction, run, { attempted, settlement })
      if (settlement.kind === 'retry') await queue.later(job, settlement.at, transaction)
      if (settlement.kind === 'block') await queue.complete(job, transaction)
      return finished
    })
  }
}

/** @returns the circuit as it is from now on; null for a run that needs none. */
async function noteForConnection(
  transaction: Queryable,
  { claimed, outcome }: Attempted
): Promise<Circuit | null> {
  const name = connectionOf(claimed.run)
  if (name === null || claimed.connection === null) return null
  const event = circuitEventOf(outcome)
  const known = await readCircuit(transaction, name)
  // The usual case changes nothing, so it waits for nobody.
  if (known !== null && isSettledBy(known, event)) return known
  const { circuit: before, now } = await lockCircuit(transaction, name)
  const after = circuitAfter(before, event, now)
  if (after !== before) await writeCircuit(transaction, name, after)
  return after
}

/** Whoever has the run by now: the call was made, and what it cost was spent. */
async function record(
  transaction: Queryable,
  { claimed, outcome }: Attempted,
  { isCounted }: Settlement
): Promise<void> {
  const { attempt, run, connection } = claimed
  await endAttempt(transaction, run, { attempt, isCounted, outcome })
  if (connection === null) return
  const { calls, input_tokens, output_tokens, cost_nano_usd, reply } = outcome.report
  const isAnswered = (input_tokens ?? output_tokens ?? reply) !== null
  const isUnpriced = cost_nano_usd === null && isAnswered
  await addSpending(transaction, run, {
    // One was counted before it began, and is taken back where none was made.
    calls: calls - 1,
    input_tokens: input_tokens ?? 0,
    output_tokens: output_tokens ?? 0,
    nano_usd: cost_nano_usd ?? 0,
    unpriced_calls: isUnpriced ? Math.max(1, calls) : 0
  })
}

interface Settling {
  readonly attempted: Attempted
  readonly settlement: Settlement
}

async function settle(
  transaction: Queryable,
  run: OpenRun,
  { attempted: { claimed, outcome, durationMs }, settlement }: Settling
): Promise<Finished> {
  const { version, connection } = claimed
  if (settlement.kind === 'end') {
    const last = { version, connection, report: outcome.report, durationMs }
    const ended = await endRun(transaction, run, { ...settlement.end, last })
    return ended.kind === 'ended' ? ended : { kind: 'lost' }
  }
  const isMoved = await moveRun(transaction, run, {
    status: settlement.kind === 'retry' ? 'retrying' : 'blocked',
    status_reason: settlement.status_reason,
    attempts: settlement.isCounted ? run.attempts : run.attempts - 1,
    next_attempt_at: settlement.kind === 'retry' ? settlement.at : null,
    ...{ lease: null, result: null }
  })
  return { kind: isMoved ? 'waiting' : 'lost' }
}
