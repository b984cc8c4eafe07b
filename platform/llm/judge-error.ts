/** Why a judge gave no answer, and what that means for the run, the connection and the wait. */
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

export interface JudgeErrorTerms {
  readonly status_reason: JudgeErrorReason
  /** Whether the same run may succeed later. */
  readonly retryable: boolean
  /** Whether every run on this connection would end the same way, so that none is worth trying. */
  readonly blocks: boolean
  /** The least that the provider asks to wait; null when it asks for nothing. */
  readonly retryAfterMs: number | null
  readonly http_status: number | null
  /** Requests that were sent before it came to this. */
  readonly calls: number
}

/** The message is ours: a provider's own may repeat the prompt, or the key. */
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

/** What a server said that is no answer; `error` is the member of that name in its body. */
export interface Refusal {
  readonly status: number
  readonly headers: Headers | undefined
  readonly error: unknown
}

type Effect = Pick<JudgeErrorTerms, 'status_reason' | 'retryable' | 'blocks'>

const blocking = { retryable: true, blocks: true } as const
const passing = { retryable: true, blocks: false } as const
const final = { retryable: false, blocks: false } as const

/** Above this a wait is no patience but a way to let runs expire. */
const retryAfterMaxMs = 3_600_000
const billingCodes = /^(insufficient_quota|billing_\w+|payment_required|insufficient_balance)$/
const tooLongCodes = /^(context_length_exceeded|string_above_max_length|request_too_large)$/
const tooLong = /context (?:length|window)|maximum context|prompt is too long|input is too long/i
const filterCodes = /^(content_filter|content_policy_violation)$/
/** Conflict and too early: the server asks for another try. */
const busyStatuses = [409, 425]

export function refusalError(refusal: Refusal, clock: Clock, calls: number): JudgeError {
  const { status, headers } = refusal
  const said = saidIn(refusal.error)
  const effect = effectOf(status, said)
  const sentence = `the provider answered ${status}${said.code === '' ? '' : ` (${said.code})`}`
  return new JudgeError(sentence, {
    ...effect,
    retryAfterMs: retryAfterMsOf(headers, clock),
    http_status: status,
    calls
  })
}

/** @returns for what went wrong below HTTP, or for an answer that is no completion. */
export function transportError(error: unknown, calls: number): JudgeError {
  const outbound = outboundErrorIn(error)
  const { message, ...effect } = transportEffectOf(outbound)
  return new JudgeError(message, { ...effect, retryAfterMs: null, http_status: null, calls })
}

export function timeoutError(timeoutMs: number, calls: number): JudgeError {
  return new JudgeError(`no answer within ${timeoutMs} ms`, {
    status_reason: 'timeout',
    ...passing,
    retryAfterMs: null,
    http_status: null,
    calls
  })
}

interface Said {
  readonly code: string
  /** Looked at, and never repeated. */
  readonly message: string
  readonly isFlagged: boolean
}

const codeForm = /^[a-z]+(_[a-z]+)*$/

/** A code is text of the server's choice: what is none is not repeated, be it a key or a prompt. */
function saidIn(error: unknown): Said {
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
 * What one decision's content causes must not block the connection: its author could then keep
 * everybody else's decisions from being judged. So content is looked at first.
 */
function effectOf(status: number, said: Said): Effect {
  if (said.isFlagged || filterCodes.test(said.code)) {
    return { status_reason: 'judge_refused', ...final }
  }
  if (status === 413 || tooLongCodes.test(said.code) || isTooLong(status, said)) {
    return { status_reason: 'content_too_large', ...final }
  }
  if (status === 402 || billingCodes.test(said.code)) {
    return { status_reason: 'provider_billing', ...blocking }
  }
  return effectOfStatus(status, said)
}

function isTooLong(status: number, { message }: Said): boolean {
  return status === 400 && tooLong.test(message)
}

function effectOfStatus(status: number, { code }: Said): Effect {
  if (status === 401 || status === 403) return { status_reason: 'provider_auth', ...blocking }
  if (status === 404 || code === 'model_not_found') {
    return { status_reason: 'model_unavailable', ...blocking }
  }
  if (status === 429) return { status_reason: 'provider_rate_limited', ...passing }
  if (busyStatuses.includes(status)) return { status_reason: 'provider_error', ...passing }
  if (status === 408) return { status_reason: 'timeout', ...passing }
  // A redirect is not followed: the address of the connection has to be set right.
  if (status < 400) return { status_reason: 'provider_error', ...blocking }
  return { status_reason: 'provider_error', ...(status >= 500 ? passing : final) }
}

/** Milliseconds, seconds or a date, as providers say it; null when they say nothing useful. */
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
        message: 'the answer is no completion'
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
