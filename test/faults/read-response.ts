/** Parses ingest responses strictly, and reports every deviation from the API contract. */
import { problems } from '../../core/problem.ts'
import type { ProblemCode } from '../../core/problem.ts'
import type { AttemptOutcome } from './ledger.ts'
import type { PostResponse } from './post.ts'

export interface Reading {
  readonly outcomes: readonly AttemptOutcome[]
  /** Descriptions of contract violations. */
  readonly complaints: readonly string[]
}

type Json = Readonly<Record<string, unknown>>
type Complain = (sentence: string) => void

/** Problem codes after which the outcome is unknown. */
const unknownCodes = new Set(['log_unavailable', 'internal_error'])
const waiting = new Set([429, 503])
const acknowledged: AttemptOutcome = { kind: 'acknowledged', status: 202, code: '' }

export function readResponse(
  answer: PostResponse,
  ids: readonly string[],
  isBatch: boolean
): Reading {
  const complaints: string[] = []
  const complain: Complain = (sentence) => void complaints.push(`${answer.status}: ${sentence}`)
  const body = objectOf(answer.body, complain)
  const outcomes = isBatch
    ? readBatch({ answer, body, ids, complain })
    : [readSingle({ answer, body, ids, complain })]
  return { outcomes, complaints }
}

interface Read {
  readonly answer: PostResponse
  readonly body: Json
  readonly ids: readonly string[]
  readonly complain: Complain
}

function readSingle(read: Read): AttemptOutcome {
  const { answer, body, ids, complain } = read
  if (answer.status !== 202) {
    const outcome = readProblem(read)
    const isNamed = outcome.kind !== 'unknown' || body['decision_id'] === ids[0]
    if (!isNamed) complain(`${outcome.code} does not contain the decision_id`)
    return outcome
  }
  if (answer.body !== `{"decision_id":"${ids[0]}","queued":true}`) complain(answer.body)
  return acknowledged
}

function readBatch(read: Read): AttemptOutcome[] {
  const { answer, body, ids, complain } = read
  const whole = answer.status >= 400 ? readProblem(read) : null
  const results = body['results']
  if (!Array.isArray(results)) {
    if (whole === null) complain(`no results in ${answer.body.slice(0, 200)}`)
    return ids.map(() => whole ?? { kind: 'unknown', status: answer.status, code: 'no_results' })
  }
  if (results.length !== ids.length) complain(`${results.length} results for ${ids.length} items`)
  const outcomes = ids.map((id, index) => readItem(results[index] as Json, { id, index, complain }))
  const queued = outcomes.filter(({ kind }) => kind === 'acknowledged').length
  const statusExpected = queued === ids.length ? 202 : queued > 0 ? 207 : answer.status
  if (answer.status !== statusExpected) complain(`${queued} of ${ids.length} items are queued`)
  return outcomes
}

interface Place {
  readonly id: string
  readonly index: number
  readonly complain: Complain
}

function readItem(item: Json | undefined, { id, index, complain }: Place): AttemptOutcome {
  if (item?.['index'] !== index || item['decision_id'] !== id)
    complain(`item ${index} is another decision`)
  if (item?.['queued'] === true) return acknowledged
  const problem = (item?.['problem'] ?? {}) as Json
  return outcomeOf({ ...problem, retryable: item?.['retryable'] }, complain)
}

/** Checks the media type, members and Retry-After header of a problem response. */
function readProblem({ answer, body, complain }: Read): AttemptOutcome {
  const { status, headers } = answer
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('application/problem+json')) complain(`the media type is "${type}"`)
  if (body['status'] !== status) complain(`the body has status ${String(body['status'])}`)
  if (waiting.has(status) && !/^[1-9]\d*$/.test(headers['retry-after'] ?? '')) {
    complain('Retry-After is not in whole seconds')
  }
  return { ...outcomeOf(body, complain), status }
}

function outcomeOf(problem: Json, complain: Complain): AttemptOutcome {
  const code = String(problem['code'])
  const row = Object.hasOwn(problems, code) ? problems[code as ProblemCode] : undefined
  if (row === undefined) complain(`the code "${code}" is unknown`)
  if (row?.status !== problem['status'])
    complain(`${code} with status ${String(problem['status'])}`)
  if (row?.retryable !== problem['retryable']) complain(`${code} has a wrong retryable`)
  const kind = unknownCodes.has(code) ? 'unknown' : 'rejected'
  return { kind, status: Number(problem['status']), code }
}

function objectOf(text: string, complain: Complain): Json {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {
    // Invalid JSON is reported below.
  }
  complain(`not a JSON object: ${text.slice(0, 200)}`)
  return {}
}
