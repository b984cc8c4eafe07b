/** Measures how long a decision waits to be stored while storage also has a backlog of evaluations.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { makeDecisions } from '../load/decisions.ts'
import type { BenchTarget } from '../row.ts'
import type { FollowedGroup } from './follow-group.ts'
import type { WholeSystem } from './whole-system.ts'

/** Remaining share of the backlog at which the measurement ends. */
const backlogLeft = 1 / 20
const waitMaxMs = 120_000
const pollMs = 5

/**
 * Sends single decisions while storage works through the evaluations. Returns how long each
 * decision waited to be stored, in milliseconds.
 */
export async function measureWaits(
  { gateway, groups }: WholeSystem,
  postgres: Postgres,
  signal: AbortSignal
): Promise<number[]> {
  const backlog = await waitingIn(groups.scored)
  await until(async () => (await waitingIn(groups.scored)) < backlog, signal)
  const waits: number[] = []
  for (const body of makeDecisions()) {
    const startedAt = performance.now()
    const id = await sendOne(gateway, body)
    await until(() => isStored(postgres, id), signal)
    waits.push(performance.now() - startedAt)
    if ((await waitingIn(groups.scored)) < backlog * backlogLeft) break
  }
  return waits
}

async function waitingIn({ readProgress }: FollowedGroup): Promise<number> {
  return (await readProgress()).reduce((sum, { lag }) => sum + lag, 0)
}

async function until(isIt: () => Promise<boolean>, stopped: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(waitMaxMs)])
  while (!(await isIt())) await sleep(pollMs, undefined, { signal })
}

async function sendOne({ url, headers }: BenchTarget, body: object): Promise<string> {
  const response = await fetch(`${url}/v1/ingest`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body)
  })
  const { decision_id } = (await response.json()) as { decision_id?: string }
  if (response.status === 202 && decision_id !== undefined) return decision_id
  throw new Error(`A single decision got status ${response.status}.`)
}

/** Checks whether a decision is stored. All decisions belong to one organization. */
async function isStored(postgres: Postgres, id: string): Promise<boolean> {
  const found = await postgres.query(
    `select 1 from decision_ids
      where organization_id = (select organization_id from organizations) and decision_id = $1`,
    [id]
  )
  return found.length > 0
}
