/** The steps to the first score: which are done, and what to do for the others. */
import type { RefusedAttempt } from '../../usage/facts.ts'
import type { Progress } from './progress.ts'

export const stepIds = [
  'email_verified',
  'key_created',
  'first_request_seen',
  'first_decision_stored',
  'first_score'
] as const

export interface Step {
  readonly id: (typeof stepIds)[number]
  readonly done_at: Date | null
  /** What to do, or where to look next. */
  readonly hint: string
  /** What is known of it; null where nothing is. */
  readonly detail: string | null
}

export function stepsOf(progress: Progress): readonly Step[] {
  const email = emailStep(progress)
  const others = [keyStep, requestStep, decisionStep, scoreStep].map((step) => step(progress))
  return email === null ? others : [email, ...others]
}

export function countDone(steps: readonly Step[]): number {
  return steps.filter(({ done_at }) => done_at !== null).length
}

function emailStep({ email }: Progress): Step | null {
  if (email === null) return null
  return {
    id: 'email_verified',
    done_at: email.email_verified_at,
    hint: 'POST the token of the letter that was sent to you to /v1/auth/email/verify.',
    detail: email.email
  }
}

function keyStep({ keys }: Progress): Step {
  const [first] = keys
  return {
    id: 'key_created',
    done_at: first?.created_at ?? null,
    hint: 'An admin makes an API key with the scope ingest. It is shown once, so keep it.',
    detail: first === undefined ? null : `The key ${first.key_id}, "${first.name}".`
  }
}

/** One that was refused was seen as well: it is what people look for. */
function requestStep(progress: Progress): Step {
  const { attempts, uses } = progress
  const [last] = attempts ?? []
  const isUnknown = attempts === null || uses === null
  const unknown = 'Whether something was refused cannot be told now: Redis does not answer.'
  return {
    id: 'first_request_seen',
    done_at: firstRequestOf(progress),
    hint:
      'Run one of the snippets with your key. Under a key that is mistyped or not ours a request ' +
      'is answered 401, and is not seen here: nobody knows that it was yours.',
    detail: last === undefined ? (isUnknown ? unknown : null) : sentenceOf(last)
  }
}

/** The earliest that anybody knows of; of the uses of a key only the last one is kept. */
function firstRequestOf({ keys, attempts, uses, decision }: Progress): Date | null {
  const times = [
    ...(attempts ?? []).map(({ at }) => at),
    ...[...(uses?.values() ?? [])].map(({ at }) => at),
    ...keys.flatMap(({ last_used_at }) => last_used_at?.getTime() ?? []),
    ...(decision === null ? [] : [decision.received_at.getTime()])
  ]
  return times.length === 0 ? null : new Date(Math.min(...times))
}

function sentenceOf({ at, status, code, detail, request_id }: RefusedAttempt): string {
  const when = new Date(at).toISOString()
  return `The last refusal: ${status} ${code}, ${detail} (${when}, request ${request_id})`
}

function decisionStep({ decision }: Progress): Step {
  return {
    id: 'first_decision_stored',
    done_at: decision?.stored_at ?? null,
    hint:
      'A decision is stored within seconds of its 202: GET /v1/ingest/{decision_id}?wait=5 asks ' +
      'for it. Before a 202 nothing is; recent_attempts tells why.',
    detail: decision === null ? null : `The decision ${decision.decision_id}.`
  }
}

function scoreStep({ score }: Progress): Step {
  return {
    id: 'first_score',
    done_at: score?.evaluated_at ?? null,
    hint:
      'Evaluation follows within seconds: GET /v1/evaluation/{decision_id} says for every rule ' +
      'why there is no score.',
    detail: score === null ? null : `The score "${score.name}" of ${score.decision_id}.`
  }
}
