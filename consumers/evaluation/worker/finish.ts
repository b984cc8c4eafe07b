/** Finishes an attempt: stores its result, the new state of the run, the cost and the circuit in
 * one transaction. Releases a run whose attempt was interrupted.
 */
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'
import { endAttempt } from './attempts.ts'
import { circuitAfter, circuitEventOf, isSettledBy } from './connections/circuit.ts'
import type { Circuit } from './connections/circuit.ts'
import { connectionOf, lockCircuit, readCircuit, writeCircuit } from './connections/connections.ts'
import { endRun } from './end-run.ts'
import type { StepResult } from './end-run.ts'
import { noCall } from './judge-outcome.ts'
import type { JudgeOutcome } from './judge-outcome.ts'
import { moveRun, readPendingRun } from './pending-run.ts'
import type { ClaimedRun, PendingRun } from './pending-run.ts'
import { settlementOf } from './settlement.ts'
import type { Settlement } from './settlement.ts'
import { addSpending, noSpending } from './connections/spend.ts'

interface Attempted {
  readonly claimed: ClaimedRun
  readonly outcome: JudgeOutcome
  readonly durationMs: number
}

const done = { kind: 'done' } as const

/**
 * Finishes an attempt in one transaction. Can be called again after a failure.
 * @returns the ended run, or `done` if the run will be attempted again, was erased, or another
 * process has it
 */
export function finish(postgres: Postgres, attempted: Attempted): Promise<StepResult> {
  const { claimed } = attempted
  return postgres.transaction(async (transaction) => {
    const circuit = await noteForConnection(transaction, attempted)
    const run = await readPendingRun(transaction, claimed.run, { isLocked: true })
    const context = { circuit, random: Math.random() }
    const settlement = settlementOf(run ?? claimed.run, attempted.outcome, context)
    await record(transaction, attempted, settlement)
    if (!isClaimed(run, claimed)) return done
    return await settle(transaction, run, { attempted, settlement })
  })
}

/** Checks whether the run is running and this process still holds its lease. */
function isClaimed(run: PendingRun | null, { token }: ClaimedRun): run is PendingRun {
  return run?.status === 'running' && run.lease_token === token
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
): Promise<StepResult> {
  const { version, connection } = claimed
  if (settlement.kind === 'end') {
    const last = { version, connection, report: outcome.report, durationMs }
    return await endRun(transaction, run, { ...settlement.end, last })
  }
  const { status_reason, isCounted } = settlement
  const attempts = isCounted ? run.attempts : run.attempts - 1
  await moveRun(transaction, run, {
    status_reason,
    attempts,
    ...(settlement.kind === 'retry'
      ? { status: 'retrying', next_attempt_at: settlement.at }
      : { status: 'blocked' })
  })
  return done
}

/**
 * Releases a run when the process shuts down before its call ends, so that another process can
 * claim it immediately. The attempt stays recorded, because its call may have cost money, but it
 * does not count towards the maximum.
 */
export async function release(postgres: Postgres, claimed: ClaimedRun): Promise<void> {
  await postgres.transaction(async (transaction) => {
    const run = await readPendingRun(transaction, claimed.run, { isLocked: true })
    if (!isClaimed(run, claimed)) return
    const { attempt } = claimed
    await endAttempt(transaction, run, { attempt, isCounted: false, outcome: interrupted })
    await moveRun(transaction, run, {
      status: 'scheduled',
      attempts: run.attempts - 1,
      next_attempt_at: run.now
    })
    if (claimed.connection !== null) {
      await addSpending(transaction, run, { ...noSpending, unpriced_calls: 1 })
    }
  })
}

const interrupted: JudgeOutcome = {
  result: {
    kind: 'failure',
    status_reason: 'interrupted',
    retryable: true,
    blocks: false,
    retryAfterMs: null,
    http_status: null,
    message: 'the process is shutting down'
  },
  report: noCall
}
