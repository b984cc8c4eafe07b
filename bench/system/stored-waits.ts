/** How long a decision waits until it is stored, while evaluations wait for storage, too. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { makeDecisions } from '../load/decisions.ts'
import type { Target } from '../row.ts'
import type { FollowedGroup } from './follow-group.ts'
import type { WholeSystem } from './whole-system.ts'

/** Waits are measured until so much of the backlog is left. */
const backlogLeft = 1 / 20
const waitMaxMs = 120_000
const pollMs = 5

/** Milliseconds, of one decision after the other, from when storage takes up the evaluations. */
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

async function until(isIt: () => Promise<boolean>, told: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([told, AbortSignal.timeout(waitMaxMs)])
  while (!(await isIt())) await sleep(pollMs, undefined, { signal })
}

async function sendOne({ url, headers }: Target, body: object): Promise<string> {
  const response = await fetch(`${url}/v1/ingest`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body)
  })
  const { decision_id } = (await response.json()) as { decision_id?: string }
  if (response.status === 202 && decision_id !== undefined) return decision_id
  throw new Error(`A single decision was answered ${response.status}.`)
}

/** All decisions are those of one organization. */
async function isStored(postgres: Postgres, id: string): Promise<boolean> {
  const found = await postgres.query(
    `select 1 from decision_ids
      where organization_id = (select organization_id from organizations) and decision_id = $1`,
    [id]
  )
  return found.length > 0
}
