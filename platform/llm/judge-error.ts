/** Judge errors: classifies failed calls by their effect on the run, the connection and retries. */
import type { Clock } from '../../core/clock.ts'
import type { StatusReason } from '../../core/evaluation/status-reason.ts'
import { OutboundError } from '../http-client/outbound.ts'

export type JudgeErrorReason = Extract<
  StatusReason,
  | 'provider_auth'
  | 'provider_billing'
  | 'provider_unreachable'
  | 'model_unavailable'
  | 'provider_rate_limited'
  | 'provider_error'
  | 'timeout'
  | 'content_too_large'
  | 'judge_refused'
>

interface JudgeErrorTerms {
  readonly status_reason: JudgeErrorReason
  /** Whether the same run can succeed later. */
  readonly retryable: boolean
  /**
   * Whether other runs on this connection would probably fail in the same way. If so, none should
   * start.
   */
  readonly blocks: boolean
  /** Minimum delay requested by the provider; null if none. */
  readonly retryAfterMs: number | null
  readonly http_status: number | null
  /** Number of requests sent, including the failed one. */
  readonly calls: number
}

/**
 * Error from a judge call. It never quotes the provider's message, which can contain the prompt or
 * the key.
 */
export class JudgeError extends Error implements JudgeErrorTerms {
  override readonly name = 'JudgeError'
  readonly status_reason: JudgeErrorReason
  readonly retryable: boolean
  readonly blocks: boolean
  readonly retryAfterMs: number | null
  readonly http_status: number | null
  readonly calls: number

  constructor(message: string, terms: JudgeErrorTerms) {
    super(message)
    this.status_reason = terms.status_reason
    this.retryable = terms.retryable
    this.blocks = terms.blocks
    this.retryAfterMs = terms.retryAfterMs
    this.http_status = terms.http_status
    this.calls = terms.calls
  }
}

/** An error response. `error` is the `error` property of its body. */
interface ErrorResponse {
  readonly status: number
  readonly headers: Headers | undefined
  readonly error: unknown
}

type Effect = Pick<JudgeErrorTerms, 'status_reason' | 'retryable' | 'blocks'>

const blocking = { retryable: true, blocks: true } as const
const passing = { retryable: true, blocks: false } as const
const final = { retryable: false, blocks: false } as const

/** Maximum delay before a retry, because runs could expire during a longer delay. */
const retryAfterMaxMs = 3_600_000
const billingCodes = /^(insufficient_quota|billing_\w+|payment_required|insufficient_balance)$/
const tooLongCodes = /^(context_length_exceeded|string_above_max_length|request_too_large)$/
const tooLong = /context (?:length|window)|maximum context|prompt is too long|input is too long/i
const filterCodes = /^(content_filter|content_policy_violation)$/
/** 409 Conflict and 425 Too Early. A retry can succeed after these statuses. */
const busyStatuses = [409, 425]

export function responseError(response: ErrorResponse, clock: Clock, calls: number): JudgeError {
  const { status, headers } = response
  const details = detailsIn(response.error)
  const effect = effectOf(status, details)
  const code = details.code === '' ? '' : ` (${details.code})`
  return new JudgeError(`the provider responded with ${status}${code}`, {
    ...effect,
    retryAfterMs: retryAfterMsOf(headers, clock),
    http_status: status,
    calls
  })
}

/** Returns the error for a failed connection or a response that is not a completion. */
export function transportError(error: unknown, calls: number): JudgeError {
  const outbound = outboundErrorIn(error)
  const { message, ...effect } = transportEffectOf(outbound)
  return new JudgeError(message, { ...effect, retryAfterMs: null, http_status: null, calls })
}

export function timeoutError(timeoutMs: number, calls: number): JudgeError {
  return new JudgeError(`no response within ${timeoutMs} ms`, {
    status_reason: 'timeout',
    ...passing,
    retryAfterMs: null,
    http_status: null,
    calls
  })
}

interface ErrorDetails {
  readonly code: string
  /** Used only to classify the error; never repeated in a message. */
  readonly message: string
  readonly isFlagged: boolean
}

const codeForm = /^[a-z]+(_[a-z]+)*$/

/**
 * Extracts details of the error. A code in an unexpected format is dropped, because the server
 * chooses it and it could contain a key or a prompt.
 */
function detailsIn(error: unknown): ErrorDetails {
  const { code, type, message, metadata } = (error ?? {}) as Record<string, unknown>
  const named = [code, type].find((each) => typeof each === 'string' && each.length < 48)
  const flagged = (metadata as Record<string, unknown> | undefined)?.['flagged_input']
  return {
    code: typeof named === 'string' && codeForm.test(named) ? named : '',
    message: typeof message === 'string' ? message : '',
    isFlagged: flagged !== undefined
  }
}

/**
 * Determines the effect of an error. First checks for errors caused by the content of a decision.
 * Such an error must not block the connection, because the author of the decision could otherwise
 * stop all judging.
 */
function effectOf(status: number, details: ErrorDetails): Effect {
  if (details.isFlagged || filterCodes.test(details.code)) {
    return { status_reason: 'judge_refused', ...final }
  }
  if (status === 413 || tooLongCodes.test(details.code) || isTooLong(status, details)) {
    return { status_reason: 'content_too_large', ...final }
  }
  if (status === 402 || billingCodes.test(details.code)) {
    return { status_reason: 'provider_billing', ...blocking }
  }
  return effectOfStatus(status, details)
}

function isTooLong(status: number, { message }: ErrorDetails): boolean {
  return status === 400 && tooLong.test(message)
}

function effectOfStatus(status: number, { code }: ErrorDetails): Effect {
  if (status === 401 || status === 403) return { status_reason: 'provider_auth', ...blocking }
  if (status === 404 || code === 'model_not_found') {
    return { status_reason: 'model_unavailable', ...blocking }
  }
  if (status === 429) return { status_reason: 'provider_rate_limited', ...passing }
  if (busyStatuses.includes(status)) return { status_reason: 'provider_error', ...passing }
  if (status === 408) return { status_reason: 'timeout', ...passing }
  // Redirects are not followed, so the connection's URL must be corrected.
  if (status < 400) return { status_reason: 'provider_error', ...blocking }
  return { status_reason: 'provider_error', ...(status >= 500 ? passing : final) }
}

/**
 * Returns the delay from `retry-after-ms` or `retry-after` (seconds or a date) in milliseconds;
 * null if there is no usable value.
 */
function retryAfterMsOf(headers: Headers | undefined, clock: Clock): number | null {
  const exact = Number.parseFloat(headers?.get('retry-after-ms') ?? '')
  if (Number.isFinite(exact)) return withinReason(exact)
  const text = headers?.get('retry-after') ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return withinReason(Number(text) * 1000)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : withinReason(at - clock.now())
}

function withinReason(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), retryAfterMaxMs)
}

function transportEffectOf(error: OutboundError | null): Effect & { message: string } {
  switch (error?.code) {
    case 'address_refused':
      return { status_reason: 'provider_unreachable', ...blocking, message: error.message }
    case 'unreachable':
      return { status_reason: 'provider_unreachable', ...passing, message: error.message }
    case 'timeout':
      return { status_reason: 'timeout', ...passing, message: error.message }
    case 'interrupted':
    case 'too_large':
      return { status_reason: 'provider_error', ...passing, message: error.message }
    case undefined:
      return {
        status_reason: 'provider_error',
        ...passing,
        message: 'the response is not a completion'
      }
  }
}

function outboundErrorIn(error: unknown): OutboundError | null {
  let current = error
  for (let depth = 0; depth < 4 && current instanceof Error; depth++) {
    if (current instanceof OutboundError) return current
    current = current.cause
  }
  return null
}
