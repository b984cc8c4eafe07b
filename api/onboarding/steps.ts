/** Lists the steps to the first score: whether each is done, and what to do next. */
import type { Progress } from './queries.ts'
import type { stepIds } from './schemas.ts'

interface Step {
  readonly id: (typeof stepIds)[number]
  readonly done_at: Date | null
  readonly hint: string
  readonly detail: string | null
}

export function countDone(steps: readonly Step[]): number {
  return steps.filter(({ done_at }) => done_at !== null).length
}

export function stepsOf(progress: Progress): readonly Step[] {
  const { keys, decision, score } = progress
  const [key] = keys
  return [
    ...emailSteps(progress),
    {
      id: 'key_created',
      done_at: key?.created_at ?? null,
      hint:
        'Create an API key with the scope ingest. This requires the role admin or higher. The ' +
        'key is shown once, so store it.',
      detail: key === undefined ? null : `The key ${key.key_id}, "${key.name}".`
    },
    {
      // Rejected requests count, because users want to know whether their request arrived.
      id: 'first_request_seen',
      done_at: firstRequestOf(progress),
      hint:
        'Run one of the snippets with your API key. A request with a mistyped or unknown key ' +
        'gets a 401 and is not shown here, because its organization is unknown.',
      detail: lastRejectionOf(progress)
    },
    {
      id: 'first_decision_stored',
      done_at: decision?.stored_at ?? null,
      hint:
        'A decision is stored within seconds of its 202. Check with GET ' +
        '/v1/ingest/{decision_id}?wait=5. Without a 202 it is not stored; recent_attempts ' +
        'says why.',
      detail: decision && `The decision ${decision.decision_id}.`
    },
    {
      id: 'first_score',
      done_at: score?.evaluated_at ?? null,
      hint:
        'A decision is evaluated within seconds. GET /v1/evaluation/{decision_id} says for ' +
        'every rule why there is no score.',
      detail: score && `The score "${score.name}" of ${score.decision_id}.`
    }
  ]
}

function emailSteps({ email }: Progress): readonly Step[] {
  if (email === null) return []
  const hint = 'POST the token of the email that was sent to you to /v1/auth/email/verify.'
  return [{ id: 'email_verified', done_at: email.email_verified_at, hint, detail: email.email }]
}

/**
 * Returns the time of the earliest known request. Can be later than the actual first request,
 * because only the last use of each key is stored.
 */
function firstRequestOf({ keys, attempts, uses, decision }: Progress): Date | null {
  const times = [
    ...(attempts ?? []).map(({ at }) => at),
    ...[...(uses?.values() ?? [])].map(({ at }) => at),
    ...keys.flatMap(({ last_used_at }) => last_used_at?.getTime() ?? []),
    ...(decision === null ? [] : [decision.received_at.getTime()])
  ]
  return times.length === 0 ? null : new Date(Math.min(...times))
}

function lastRejectionOf({ attempts, uses }: Progress): string | null {
  const [last] = attempts ?? []
  if (last !== undefined) {
    const { at, status, code, detail, request_id } = last
    const when = new Date(at).toISOString()
    return `Last rejected request: ${status} ${code}, ${detail} (${when}, request ${request_id})`
  }
  const isUnknown = attempts === null || uses === null
  return isUnknown ? 'Rejected requests cannot be shown: Redis is unavailable.' : null
}
