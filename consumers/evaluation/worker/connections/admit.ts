/** Whether a connection and the budgets leave room for a call now. */
import type { StatusReason } from '../../../../core/evaluation/status-reason.ts'
import type { Queryable } from '../../../../platform/postgres/postgres.ts'
import { admissionOf } from './circuit.ts'
import type { Admission } from './circuit.ts'
import type { Claim } from '../claimed-run.ts'
import { connectionOf, lockCircuit, readConnection, writeCircuit } from './connections.ts'
import { endRun } from '../end-run.ts'
import type { JudgeConnection } from '../judge-outcome.ts'
import { moveRun } from '../open-run.ts'
import type { OpenRun } from '../open-run.ts'
import { readBudget } from './spend.ts'

/** A connection to call, or what becomes of the run instead. */
export type Admitted = { readonly connection: JudgeConnection } | Claim

/** Runs that wait for the same moment come back one after the other, within so much of it. */
const spreadMs = 2000
/** How long a run waits for a place on its connection, before it asks again. */
const crowdedMs = { least: 100, most: 600 }
const budgetSpreadMs = 60_000

/** Locks the connection's circuit: calls are counted one after the other. */
export async function admit(
  transaction: Queryable,
  run: OpenRun,
  leaseMs: number
): Promise<Admitted> {
  const found = await lockConnection(transaction, run)
  if (found === null) {
    return await endRun(transaction, run, { status: 'canceled', status_reason: 'deleted' })
  }
  const { name, circuit, connection } = found
  const admission = admissionOf(circuit, run.now, leaseMs)
  if (admission.kind === 'blocked' || admission.kind === 'paused') {
    return await turnAway(transaction, run, admission)
  }
  if (connection.running >= connection.concurrency_max) {
    const waitMs = crowdedMs.least + Math.random() * (crowdedMs.most - crowdedMs.least)
    return await wait(transaction, run, { at: after(run.now, waitMs), reason: run.status_reason })
  }
  const unpaid = await turnAwayUnpaid(transaction, run)
  if (unpaid !== null) return unpaid
  if (admission.kind === 'probe') await writeCircuit(transaction, name, admission.circuit)
  return { connection }
}

async function lockConnection(transaction: Queryable, run: OpenRun) {
  const name = connectionOf(run)
  if (name === null) return null
  const { circuit } = await lockCircuit(transaction, name)
  const connection = await readConnection(transaction, name)
  return connection === null ? null : { name, circuit, connection }
}

async function turnAway(
  transaction: Queryable,
  run: OpenRun,
  admission: Extract<Admission, { kind: 'blocked' | 'paused' }>
): Promise<Claim> {
  if (admission.kind === 'paused') {
    const at = after(admission.until, Math.random() * spreadMs)
    return await wait(transaction, run, { at, reason: 'provider_rate_limited' })
  }
  await moveRun(transaction, run, {
    ...{ status: 'blocked', status_reason: admission.reason, attempts: run.attempts },
    ...{ next_attempt_at: null, lease: null, result: null }
  })
  return { kind: 'done' }
}

async function turnAwayUnpaid(transaction: Queryable, run: OpenRun): Promise<Claim | null> {
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

async function wait(transaction: Queryable, run: OpenRun, { at, reason }: Wait): Promise<Claim> {
  const isMoved = await moveRun(transaction, run, {
    ...{ status: reason === null ? 'scheduled' : 'retrying', status_reason: reason },
    ...{ attempts: run.attempts, next_attempt_at: at, lease: null, result: null }
  })
  return isMoved ? { kind: 'later', at } : { kind: 'done' }
}

function after(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms)
}
