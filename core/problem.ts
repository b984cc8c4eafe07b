/** Problems: every error of the API, with its code, status, title and whether a retry can succeed.
 */

interface ProblemRow {
  readonly status: number
  readonly title: string
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
}

export const problems = {
  malformed_json: { status: 400, title: 'The body is not JSON', retryable: false },
  malformed_encoding: { status: 400, title: 'The body cannot be decoded', retryable: false },
  malformed_request: { status: 400, title: 'The request is malformed', retryable: false },
  api_key_required: { status: 401, title: 'An API key is required', retryable: false },
  api_key_malformed: { status: 401, title: 'The API key is malformed', retryable: false },
  api_key_invalid: { status: 401, title: 'The API key is not valid', retryable: false },
  session_required: { status: 401, title: 'A session is required', retryable: false },
  session_invalid: { status: 401, title: 'The session is not valid', retryable: false },
  login_failed: { status: 401, title: 'Wrong email or password', retryable: false },
  refresh_invalid: { status: 401, title: 'The refresh token is not valid', retryable: false },
  refresh_reused: { status: 401, title: 'The refresh token was already used', retryable: false },
  ticket_invalid: { status: 401, title: 'The ticket is not valid', retryable: false },
  scope_missing: { status: 403, title: 'The API key lacks the required scope', retryable: false },
  role_missing: { status: 403, title: 'The role does not allow this request', retryable: false },
  registration_closed: { status: 403, title: 'Registration is closed', retryable: false },
  route_not_found: { status: 404, title: 'Route not found', retryable: false },
  decision_not_found: { status: 404, title: 'Decision not found', retryable: false },
  run_not_found: { status: 404, title: 'Run not found', retryable: false },
  evaluator_not_found: { status: 404, title: 'Evaluator not found', retryable: false },
  rule_not_found: { status: 404, title: 'Rule not found', retryable: false },
  connection_not_found: { status: 404, title: 'Connection not found', retryable: false },
  webhook_not_found: { status: 404, title: 'Webhook not found', retryable: false },
  delivery_not_found: { status: 404, title: 'Delivery not found', retryable: false },
  api_key_not_found: { status: 404, title: 'API key not found', retryable: false },
  member_not_found: { status: 404, title: 'Member not found', retryable: false },
  invite_not_found: { status: 404, title: 'Invite not found', retryable: false },
  session_not_found: { status: 404, title: 'Session not found', retryable: false },
  organization_not_found: { status: 404, title: 'Organization not found', retryable: false },
  agent_not_found: { status: 404, title: 'Agent not found', retryable: false },
  dead_letter_not_found: { status: 404, title: 'Dead-letter record not found', retryable: false },
  deletion_not_found: { status: 404, title: 'Deletion not found', retryable: false },
  method_not_allowed: { status: 405, title: 'Method not allowed', retryable: false },
  body_timeout: { status: 408, title: 'The request was not received in time', retryable: true },
  name_taken: { status: 409, title: 'The name is already in use', retryable: false },
  in_use: { status: 409, title: 'The resource is in use', retryable: false },
  built_in: { status: 409, title: 'Built-in resources cannot be changed', retryable: false },
  limit_reached: { status: 409, title: 'Limit reached', retryable: false },
  email_taken: { status: 409, title: 'The email is already in use', retryable: false },
  already_member: { status: 409, title: 'The user is already a member', retryable: false },
  last_owner: { status: 409, title: 'An organization must have an owner', retryable: false },
  key_ended: { status: 409, title: 'The API key is no longer active', retryable: false },
  count_differs: {
    status: 409,
    title: 'The number of matching decisions has changed',
    retryable: false
  },
  ingest_elsewhere: {
    status: 409,
    title: 'This gateway does not accept decisions',
    retryable: false
  },
  run_ended: { status: 409, title: 'The run has ended', retryable: false },
  secrets_key_missing: { status: 409, title: 'Secrets cannot be stored', retryable: false },
  payload_too_large: { status: 413, title: 'The payload is too large', retryable: false },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be JSON in UTF-8',
    retryable: false
  },
  expectation_failed: {
    status: 417,
    title: 'The Expect header is not supported',
    retryable: false
  },
  invalid_decision: { status: 422, title: 'The decision is not valid', retryable: false },
  invalid_batch: { status: 422, title: 'The batch is not valid', retryable: false },
  invalid_query: { status: 422, title: 'The query is not valid', retryable: false },
  invalid_body: { status: 422, title: 'The body is not valid', retryable: false },
  token_invalid: { status: 422, title: 'The token is not valid', retryable: false },
  range_too_large: { status: 422, title: 'The range is too large', retryable: false },
  rate_limited: { status: 429, title: 'Rate limit reached', retryable: true },
  compute_limited: { status: 429, title: 'Compute limit reached', retryable: true },
  changes_limited: { status: 429, title: 'Change limit reached', retryable: true },
  decision_pending: {
    status: 429,
    title: 'The decision of the score is not stored yet',
    retryable: true
  },
  login_throttled: { status: 429, title: 'Too many attempts', retryable: true },
  headers_too_large: { status: 431, title: 'The headers are too large', retryable: false },
  internal_error: { status: 500, title: 'Internal server error', retryable: true },
  authentication_unavailable: {
    status: 503,
    title: 'API keys cannot be verified',
    retryable: true
  },
  schema_unavailable: { status: 503, title: 'The schema registry is unavailable', retryable: true },
  log_unavailable: { status: 503, title: 'Kafka did not acknowledge the write', retryable: true },
  overloaded: { status: 503, title: 'The service is overloaded', retryable: true },
  store_unavailable: { status: 503, title: 'The database is unavailable', retryable: true }
} as const satisfies Record<string, ProblemRow>

export type ProblemCode = keyof typeof problems

/** An error in a body or query. `pointer` is an RFC 6901 JSON pointer. */
export interface Violation {
  readonly pointer: string
  readonly detail: string
}

type ProblemMember = string | number | boolean | null | readonly object[]

export interface ProblemOptions {
  /** What is wrong in this case, where, and what to do. One or more sentences. */
  readonly detail: string
  readonly errors?: readonly Violation[]
  /** Members in addition to those of RFC 9457, for example `decision_id` or `limit_bytes`. */
  readonly members?: Readonly<Record<string, ProblemMember>>
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An error for the caller. problem-reply.ts converts it to `application/problem+json`. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly options: ProblemOptions

  constructor(code: ProblemCode, options: ProblemOptions) {
    // Skips the stack trace, because a problem is not a bug, and thousands may be created when
    // callers disconnect simultaneously.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(options.detail, { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.options = options
  }

  get status(): number {
    return problems[this.code].status
  }

  /** Returns a copy of the problem with more members and headers. Existing ones take precedence. */
  extended(more: Pick<ProblemOptions, 'members' | 'headers'>): Problem {
    return new Problem(this.code, {
      ...this.options,
      members: { ...more.members, ...this.options.members },
      headers: { ...more.headers, ...this.options.headers }
    })
  }
}

/** Returns the response body: the members of RFC 9457 first, then those of Sluice. */
export function problemBody(problem: Problem, requestId: string): Record<string, unknown> {
  const row = problems[problem.code]
  return {
    type: `urn:sluice:problem:${problem.code}`,
    title: row.title,
    status: row.status,
    detail: problem.options.detail,
    code: problem.code,
    retryable: row.retryable,
    request_id: requestId,
    ...problem.options.members,
    ...(problem.options.errors === undefined ? {} : { errors: problem.options.errors })
  }
}

/** Summarizes errors in one sentence: the first error and the number of others. */
export function sentenceOf(what: string, errors: readonly Violation[]): string {
  const [first] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return `${what} is not valid: ${first?.pointer || 'it'} ${first?.detail ?? ''}${more}.`
}
