/** Finishes an attempt: stores its result, the new state of the run, the cost and the circuit in
 * one transaction.
 */
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'
import { endAttempt } from './attempts.ts'
import { circuitAfter, circuitEventOf, isSettledBy } from './connections/circuit.ts'
import type { Circuit } from './connections/circuit.ts'
import type { ClaimedRun } from './claimed-run.ts'
import { connectionOf, lockCircuit, readCircuit, writeCircuit } from './connections/connections.ts'
import { endRun } from './end-run.ts'
import type { JudgeOutcome } from './judge-outcome.ts'
import { moveRun, readPendingRun } from './pending-run.ts'
import type { PendingRun } from './pending-run.ts'
import { settlementOf } from './settlement.ts'
import type { Settlement } from './settlement.ts'
import { addSpending } from './connections/spend.ts'

interface Attempted {
  readonly claimed: ClaimedRun
  readonly outcome: JudgeOutcome
  readonly durationMs: number
}

/**
 * `waiting`: the run will be attempted again. `lost`: another process has the run, or the run was
 * erased.
 */
export type Finished =
  { readonly kind: 'ended'; readonly run: PendingRun } | { readonly kind: 'waiting' | 'lost' }

/** Finishes an attempt in one transaction. Can be called again after a failure. */
export type Finish = (attempted: Attempted) => Promise<Finished>

export function createFinish(postgres: Postgres): Finish {
  return function finish(attempted) {
    const { claimed } = attempted
    return postgres.transaction(async (transaction) => {
      const circuit = await noteForConnection(transaction, attempted)
      const run = await readPendingRun(transaction, claimed.run, { isLocked: true })
      const isClaimed = run?.status === 'running' && run.lease_token === claimed.token
      const context = { circuit, random: Math.random() }
      const settlement = settlementOf(run ?? claimed.run, attempted.outcome, context)
      await record(transaction, attempted, settlement)
      if (!isClaimed) return { kind: 'lost' }
      return await settle(transaction, run, { attempted, settlement })
    })
  }
}

/**
 * Applies the outcome to the circuit. Returns the new circuit, or null if the run needs no
 * connection.
 */
async function noteForConnection(
  transaction: Queryable,
  { claimed, outcome }: Attempted
): Promise<Circuit | null> {
  const name = connectionOf(claimed.run)
  if (name === null || claimed.connection === null) return null
  const event = circuitEventOf(outcome)
  const known = await readCircuit(transaction, name)
  // Skips the lock in the usual case, because a successful call leaves a closed circuit unchanged.
  if (known !== null && isSettledBy(known, event)) return known
  const { circuit: before, now } = await lockCircuit(transaction, name)
  const after = circuitAfter(before, event, now)
  if (after !== before) await writeCircuit(transaction, name, after)
  return after
}

/**
 * Records the attempt even if another process has the run, because the call was made and may have
 * cost money.
 */
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
    // One call was already counted when the attempt began.
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
  run: PendingRun,
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
    lease: null,
    result: null
  })
  return { kind: isMoved ? 'waiting' : 'lost' }
}
