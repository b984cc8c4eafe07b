/** Every refusal there is: its code, status, title and whether trying again can help. */

interface ProblemRow {
  readonly status: number
  readonly title: string
  /** Whether the same request may succeed later, unchanged. */
  readonly retryable: boolean
}

export const problems = {
  malformed_json: { status: 400, title: 'The body is not JSON', retryable: false },
  malformed_encoding: { status: 400, title: 'The body cannot be decoded', retryable: false },
  malformed_request: { status: 400, title: 'The request is malformed', retryable: false },
  api_key_required: { status: 401, title: 'An API key is required', retryable: false },
  api_key_malformed: { status: 401, title: 'The API key is garbled', retryable: false },
  api_key_invalid: { status: 401, title: 'The API key is not valid', retryable: false },
  session_required: { status: 401, title: 'A session is required', retryable: false },
  session_invalid: { status: 401, title: 'The session is not valid', retryable: false },
  login_failed: { status: 401, title: 'Wrong email or password', retryable: false },
  refresh_invalid: { status: 401, title: 'The refresh token is not valid', retryable: false },
  refresh_reused: { status: 401, title: 'The refresh token was used before', retryable: false },
  ticket_invalid: { status: 401, title: 'The ticket is not valid', retryable: false },
  scope_missing: { status: 403, title: 'The API key lacks the scope', retryable: false },
  role_missing: { status: 403, title: 'The role does not allow it', retryable: false },
  registration_closed: { status: 403, title: 'Nobody can register here', retryable: false },
  route_not_found: { status: 404, title: 'There is no such route', retryable: false },
  decision_not_found: { status: 404, title: 'There is no such decision', retryable: false },
  run_not_found: { status: 404, title: 'There is no such run', retryable: false },
  evaluator_not_found: { status: 404, title: 'There is no such evaluator', retryable: false },
  rule_not_found: { status: 404, title: 'There is no such rule', retryable: false },
  connection_not_found: { status: 404, title: 'There is no such connection', retryable: false },
  webhook_not_found: { status: 404, title: 'There is no such webhook', retryable: false },
  delivery_not_found: { status: 404, title: 'There is no such delivery', retryable: false },
  api_key_not_found: { status: 404, title: 'There is no such API key', retryable: false },
  member_not_found: { status: 404, title: 'There is no such member', retryable: false },
  invite_not_found: { status: 404, title: 'There is no such invite', retryable: false },
  session_not_found: { status: 404, title: 'There is no such session', retryable: false },
  organization_not_found: { status: 404, title: 'There is no such organization', retryable: false },
  agent_not_found: { status: 404, title: 'There is no such agent', retryable: false },
  deletion_not_found: { status: 404, title: 'There is no such deletion', retryable: false },
  method_not_allowed: { status: 405, title: 'The method is not allowed here', retryable: false },
  body_timeout: { status: 408, title: 'The body did not arrive in time', retryable: true },
  name_taken: { status: 409, title: 'The name is taken', retryable: false },
  in_use: { status: 409, title: 'Something else uses it', retryable: false },
  built_in: { status: 409, title: 'It is built in', retryable: false },
  limit_reached: { status: 409, title: 'There are as many as may be', retryable: false },
  email_taken: { status: 409, title: 'The email is taken', retryable: false },
  already_member: { status: 409, title: 'The person is a member already', retryable: false },
  last_owner: { status: 409, title: 'An organization needs an owner', retryable: false },
  key_ended: { status: 409, title: 'The API key has ended', retryable: false },
  count_differs: { status: 409, title: 'It is not as many as you think', retryable: false },
  ingest_elsewhere: { status: 409, title: 'Another gateway takes decisions', retryable: false },
  run_ended: { status: 409, title: 'The run has ended', retryable: false },
  secrets_key_missing: { status: 409, title: 'Secrets cannot be kept here', retryable: false },
  payload_too_large: { status: 413, title: 'The payload is too large', retryable: false },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be JSON in UTF-8',
    retryable: false
  },
  expectation_failed: { status: 417, title: 'The expectation is not known', retryable: false },
  invalid_decision: { status: 422, title: 'The decision is not valid', retryable: false },
  invalid_batch: { status: 422, title: 'The batch is not valid', retryable: false },
  invalid_query: { status: 422, title: 'The query is not valid', retryable: false },
  invalid_body: { status: 422, title: 'The body is not valid', retryable: false },
  token_invalid: { status: 422, title: 'The token is not valid', retryable: false },
  range_too_large: { status: 422, title: 'The range holds too much', retryable: false },
  rate_limited: { status: 429, title: 'Too many decisions', retryable: true },
  compute_limited: { status: 429, title: 'Compute limit reached', retryable: true },
  changes_limited: { status: 429, title: 'Too many changes', retryable: true },
  login_throttled: { status: 429, title: 'Too many attempts', retryable: true },
  headers_too_large: { status: 431, title: 'The headers are too long', retryable: false },
  internal_error: { status: 500, title: 'Something broke on our side', retryable: true },
  authentication_unavailable: { status: 503, title: 'Keys cannot be checked now', retryable: true },
  schema_unavailable: { status: 503, title: 'The schema registry is away', retryable: true },
  log_unavailable: { status: 503, title: 'The log did not acknowledge', retryable: true },
  overloaded: { status: 503, title: 'Too much is waiting', retryable: true },
  store_unavailable: { status: 503, title: 'The store is away', retryable: true }
} as const satisfies Record<string, ProblemRow>

export type ProblemCode = keyof typeof problems

/** One thing wrong with a body or query; `pointer` is an RFC 6901 JSON pointer. */
export interface Violation {
  readonly pointer: string
  readonly detail: string
}

export type ProblemMember = string | number | boolean | null | readonly object[]

export interface ProblemOptions {
  /** One sentence about this occurrence: what, where, and what to do. */
  readonly detail: string
  readonly errors?: readonly Violation[]
  /** Members beside RFC 9457's own: `decision_id`, `limit_bytes`, … */
  readonly members?: Readonly<Record<string, ProblemMember>>
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** A refusal on its way to a caller; one place turns it into `application/problem+json`. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly options: ProblemOptions

  constructor(code: ProblemCode, options: ProblemOptions) {
    // Without a stack: a refusal is no fault, and thousands of callers may hang up at once.
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

  /** The same refusal with more members and headers; its own win. */
  extended(more: Pick<ProblemOptions, 'members' | 'headers'>): Problem {
    return new Problem(this.code, {
      ...this.options,
      members: { ...more.members, ...this.options.members },
      headers: { ...more.headers, ...this.options.headers }
    })
  }
}

/** The members of RFC 9457 and ours, in the order they are written. */
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
