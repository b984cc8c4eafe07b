/** Sends sample decisions through the public API, and waits until they are stored and evaluated. */
import { describeResponse } from './api-client.ts'
import type { ApiResponse, ApiClient } from './api-client.ts'
import type { Credentials } from './credentials.ts'
import type { Sample } from './samples.ts'

const WAIT_SECONDS = 10

export type TourRow = {
  decisionId: string
  agent: string
  /**
   * Milliseconds from sending the request until the decision could be read. Null if it was not
   * stored in time.
   */
  storedMs: number | null
  evaluatedMs: number | null
  verdict: string
  failing: string[]
}

/** Returns the names of the failing scores: those with `passed` set to false. */
export function failingOf(scores: unknown): string[] {
  if (typeof scores !== 'object' || scores === null) return []
  const entries = Array.isArray(scores)
    ? scores.map((score: unknown) => [(score as { name?: string }).name ?? '', score] as const)
    : Object.entries(scores)
  return entries
    .filter(([, score]) => (score as { passed?: boolean | null } | null)?.passed === false)
    .map(([name]) => name)
}

function verdictOf(evaluation: ApiResponse): string {
  const verdict = evaluation.body['verdict'] ?? evaluation.body['status']
  return typeof verdict === 'string' ? verdict : 'unknown'
}

type Session = { api: ApiClient; apiKey: string; accessToken: string }

async function sendSample({ api, apiKey, accessToken }: Session, sample: Sample): Promise<TourRow> {
  const startedAt = performance.now()
  const accepted = await api.ingest(apiKey, sample)
  const decisionId = accepted.body['decision_id']
  if (accepted.status !== 202 || typeof decisionId !== 'string') {
    throw new Error(`a sample decision was not accepted (${describeResponse(accepted)})`)
  }
  async function read(path: string): Promise<{ answer: ApiResponse; elapsedMs: number | null }> {
    const answer = await api.read(accessToken, `${path}?wait=${WAIT_SECONDS}`)
    const elapsedMs = performance.now() - startedAt
    return { answer, elapsedMs: answer.status === 200 ? elapsedMs : null }
  }
  const [stored, evaluated] = await Promise.all([
    read(`/v1/decisions/${decisionId}`),
    read(`/v1/evaluation/${decisionId}`)
  ])
  const { body } = evaluated.answer
  return {
    decisionId,
    agent: sample.agent_id,
    storedMs: stored.elapsedMs,
    evaluatedMs: body['status'] === 'pending' ? null : evaluated.elapsedMs,
    verdict: verdictOf(evaluated.answer),
    failing: failingOf(body['scores'])
  }
}

export async function runTour(
  api: ApiClient,
  credentials: Credentials,
  samples: Sample[]
): Promise<TourRow[]> {
  const login = await api.login(credentials.email, credentials.password)
  const accessToken = login.body['access_token']
  if (typeof accessToken !== 'string') {
    throw new Error(`login failed (${describeResponse(login)})`)
  }
  const session = { api, apiKey: credentials.api_key, accessToken }
  return await Promise.all(samples.map((sample) => sendSample(session, sample)))
}
