/** Tests API key lookups while Postgres hangs, and while a caller guesses keys. */
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { createApiKey } from '../../core/ids/api-key.ts'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { pauseService, resumeService } from '../support/services.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Maximum time in milliseconds that a request waits for Postgres. */
const lateAfterMs = 1000
/**
 * How long requests are sent while Postgres is frozen, in milliseconds. This exceeds both the 3 s
 * for which a cached key stays fresh and the client's query timeout of 6 s.
 */
const stuckForMs = 8000
const guessers = 50
/**
 * How long keys are guessed, in milliseconds. This exceeds the 3 s for which a cached key stays
 * fresh.
 */
const guessedForMs = 4000

let sluice: Installation
let tenant: Tenant
let gateway: Application

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  gateway = await sluice.start('gateway')
})

afterEach(() => resumeService('postgres'))

interface Answer {
  readonly status: number
  readonly code: unknown
  readonly ms: number
}

async function send(apiKey: string): Promise<Answer> {
  const from = performance.now()
  const answer = await fetch(`${gateway.url}/v1/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(aDecisionBody())
  })
  const body = (await answer.json()) as { code?: unknown }
  return { status: answer.status, code: body.code, ms: performance.now() - from }
}

/** Sends requests sequentially for `ms` milliseconds. */
async function sendFor(ms: number, apiKey: () => string): Promise<Answer[]> {
  const until = performance.now() + ms
  const answers: Answer[] = []
  while (performance.now() < until) answers.push(await send(apiKey()))
  return answers
}

function statusesOf(answers: readonly Answer[]): number[] {
  return [...new Set(answers.map(({ status }) => status))]
}

/** Returns the number of responses that took well over `lateAfterMs`. */
function lateOf(answers: readonly Answer[]): number {
  return answers.filter(({ ms }) => ms > 1.5 * lateAfterMs).length
}

test('accepts known API keys and rejects others with 503 while Postgres is frozen', async () => {
  const other = await sluice.createTenant()
  expect((await send(tenant.api_key)).status).toBe(202)
  await pauseService('postgres')
  const [known, unknown] = await Promise.all([
    sendFor(stuckForMs, () => tenant.api_key),
    sendFor(stuckForMs, () => other.api_key)
  ])
  expect(statusesOf(known)).toEqual([202])
  expect(statusesOf(unknown)).toEqual([503])
  expect(unknown[0]?.code).toBe('authentication_unavailable')
  expect(lateOf(known)).toBeLessThanOrEqual(1)
  expect(lateOf(unknown)).toBeLessThanOrEqual(2)
  expect(await gateway.isReady()).toBe(true)
  await resumeService('postgres')
  await waitUntil('the unknown key is looked up', async () => {
    return (await send(other.api_key)).status === 202
  })
})

test('rejects unknown API keys without affecting known ones', async () => {
  expect((await send(tenant.api_key)).status).toBe(202)
  const tried = Array.from({ length: guessers }, () =>
    sendFor(guessedForMs, () => createApiKey('live').api_key)
  )
  const known = await sendFor(guessedForMs, () => tenant.api_key)
  const guesses = (await Promise.all(tried)).flat()
  expect(statusesOf(known)).toEqual([202])
  expect(statusesOf(guesses)).toEqual([401])
})
