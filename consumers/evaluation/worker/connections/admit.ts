/** Admits a run to its connection: checks the circuit, the concurrency limit and the budgets. */
import type { StatusReason } from '../../../../core/evaluation/status-reason.ts'
import type { Queryable } from '../../../../platform/postgres/postgres.ts'
import { admissionOf } from './circuit.ts'
import type { CircuitAdmission } from './circuit.ts'
import { connectionOf, lockCircuit, readConnection, writeCircuit } from './connections.ts'
import { endRun } from '../end-run.ts'
import type { StepResult } from '../end-run.ts'
import type { ConnectionToCall } from '../judge-outcome.ts'
import { moveRun } from '../pending-run.ts'
import type { PendingRun } from '../pending-run.ts'
import { readBudget } from './spend.ts'

/** The connection to call, or the result of the claim if the run cannot make a call now. */
type Admitted = { readonly connection: ConnectionToCall } | StepResult

/** Maximum random delay after a pause, so that waiting runs do not all retry at the same time. */
const spreadMs = 2000
/** Range of random delays before a run retries a connection at its concurrency limit. */
const crowdedMs = { least: 100, most: 600 }
const budgetSpreadMs = 60_000

/** Locks the circuit of the connection, so that concurrent admissions cannot exceed its limits. */
export async function admit(
  transaction: Queryable,
  run: PendingRun,
  leaseMs: number
): Promise<Admitted> {
  const found = await lockConnection(transaction, run)
  if (found === null) {
    return await endRun(transaction, run, { status: 'canceled', status_reason: 'deleted' })
  }
  const { name, circuit, connection } = found
  const admission = admissionOf(circuit, run.now, leaseMs)
  if (admission.kind === 'blocked' || admission.kind === 'paused') {
    return await postpone(transaction, run, admission)
  }
  if (connection.running >= connection.concurrency_max) {
    const waitMs = crowdedMs.least + Math.random() * (crowdedMs.most - crowdedMs.least)
    return await wait(transaction, run, { at: after(run.now, waitMs), reason: run.status_reason })
  }
  const overBudget = await checkBudget(transaction, run)
  if (overBudget !== null) return overBudget
  if (admission.kind === 'probe') await writeCircuit(transaction, name, admission.circuit)
  return { connection }
}

async function lockConnection(transaction: Queryable, run: PendingRun) {
  const name = connectionOf(run)
  if (name === null) return null
  const { circuit } = await lockCircuit(transaction, name)
  const connection = await readConnection(transaction, name, run.run_id)
  return connection === null ? null : { name, circuit, connection }
}

async function postpone(
  transaction: Queryable,
  run: PendingRun,
  admission: Extract<CircuitAdmission, { kind: 'blocked' | 'paused' }>
): Promise<StepResult> {
  if (admission.kind === 'paused') {
    const at = after(admission.until, Math.random() * spreadMs)
    return await wait(transaction, run, { at, reason: 'provider_rate_limited' })
  }
  await moveRun(transaction, run, { status: 'blocked', status_reason: admission.reason })
  return { kind: 'done' }
}

async function checkBudget(transaction: Queryable, run: PendingRun): Promise<StepResult | null> {
  const budget = await readBudget(transaction, run)
  if (budget.kind === 'left') return null
  if (budget.kind === 'skip') {
    return await endRun(transaction, run, { status: 'skipped', status_reason: 'budget_exhausted' })
  }
  const at = after(budget.until, Math.random() * budgetSpreadMs)
  return await wait(transaction, run, { at, reason: 'budget_exhausted' })
}

interface Wait {
  readonly at: Date
  readonly reason: StatusReason | null
}

async function wait(
  transaction: Queryable,
  run: PendingRun,
  { at, reason }: Wait
): Promise<StepResult> {
  const status = reason === null ? 'scheduled' : 'retrying'
  await moveRun(transaction, run, { status, status_reason: reason, next_attempt_at: at })
  return { kind: 'done' }
}

function after(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms)
}
