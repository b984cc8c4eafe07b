/** Client: encodes each decision when it is logged, queues it, and sends it in the background. */
import { countDropped, countUnqueued } from './count-decisions.ts'
import { composeDecision, ownIdOf } from './compose-decision.ts'
import type { DecisionContext, DecisionInput } from './decision.ts'
import type { DropReason } from './drop-reason.ts'
import { encodeDecision, invalid } from './encode-decision.ts'
import type { EncodedDecision, RawDecision } from './encode-decision.ts'
import { tooLarge } from './encoding.ts'
import { flush, dropAll } from './flush.ts'
import type { FlushResult } from './flush.ts'
import { formatNotSent } from './format-not-sent.ts'
import type { Notices } from './notices.ts'
import { createNotices } from './notices.ts'
import type { Settings } from './options.ts'
import type { Platform } from './platform.ts'
import { offer } from './queue.ts'
import { suppressErrors } from './suppress-errors.ts'
import { redactDecision, RedactError, redacted } from './redact.ts'
import { reportConfigProblem } from './resolve-settings.ts'
import { isSampled } from './sample.ts'
import { noteQueued } from './sender.ts'
import { createSenderState } from './sender-state.ts'
import type { SenderState } from './sender-state.ts'
import { createLedger, statsOf } from './ledger.ts'
import type { Stats } from './ledger.ts'
import { createUnknownFields } from './unknown-fields.ts'
import { createUuidV7 } from './uuid-v7.ts'

export type { FlushResult, Stats }

export interface FlushOptions {
  /** Maximum time to wait, in milliseconds. Default: `shutdownMs`. */
  readonly timeoutMs?: number | undefined
}

export interface Client {
  /** Queues a decision and returns its id immediately; never throws. */
  log(decision: DecisionInput): string
  /** Sends all decisions logged before this call; never rejects. */
  flush(options?: FlushOptions): Promise<FlushResult>
  /** Returns the counts of all decisions logged so far, by result. */
  stats(): Stats
  /** Flushes, then drops unsent decisions. Decisions logged later are dropped, too. */
  close(): Promise<FlushResult>
}

export interface ClientDependencies {
  readonly settings: Settings
  readonly platform: Platform
  readonly notices?: Notices
  /** Returns the context of the decision being logged. */
  readonly context?: () => DecisionContext | undefined
}

interface ClientState extends SenderState {
  readonly context: () => DecisionContext | undefined
  readonly checkFields: (decision: unknown) => void
  isClosed: boolean
}

const nothing: FlushResult = { sent: 0, failed: 0, dropped: 0, pending: 0 }

export function createClient(dependencies: ClientDependencies): Client {
  const { settings, platform, context = () => undefined } = dependencies
  const { notices = createNotices(settings, platform) } = dependencies
  const newId = createUuidV7(platform)
  const { apiKey, baseUrl, disabled, shutdownMs, handleSignals } = settings
  if (disabled || apiKey === null || baseUrl === null) {
    if (!disabled) {
      const problem = 'SLUICE_API_KEY and SLUICE_BASE_URL must be set; nothing is sent'
      reportConfigProblem(settings, platform, problem)
    }
    return createIdleClient(newId)
  }
  const isImmediate =
    settings.mode === 'immediate' || (settings.mode === 'auto' && platform.mayFreeze)
  const sending = { settings: { ...settings, apiKey, baseUrl }, platform, notices, newId }
  const state: ClientState = {
    ...createSenderState({ ...sending, isImmediate }),
    context,
    checkFields: createUnknownFields((problem) => {
      notices.failed('config', new Error(problem), {
        count: 1,
        hint: 'left out; put it into metadata'
      })
    }),
    isClosed: false
  }
  const forget = platform.onShutdown({
    flush: (timeoutMs) => flush(state, timeoutMs),
    dropRemaining: () => dropAll(state),
    shutdownMs,
    handleSignals
  })
  let closing: Promise<FlushResult> | undefined
  return {
    log: (decision) => log(state, decision),
    flush: (options) => flush(state, timeoutOf(options, shutdownMs)),
    stats: () => statsOf(state.ledger, state.queue),
    close: () => (closing ??= close(state, forget))
  }
}

/** Creates a client that generates ids but queues and sends nothing. */
function createIdleClient(newId: () => string): Client {
  const stats = statsOf(createLedger(), { items: 0, bytes: 0 })
  return {
    log: (decision) => ownIdOf(decision) ?? newId(),
    flush: () => Promise.resolve(nothing),
    stats: () => stats,
    close: () => Promise.resolve(nothing)
  }
}

/** Maximum timer delay in milliseconds; a timer with a longer delay fires immediately. */
const timerMaxMs = 2 ** 31 - 1

function timeoutOf(options: FlushOptions | undefined, fallback: number): number {
  const given = suppressErrors(() => options?.timeoutMs)
  const isNumber = typeof given === 'number' && !Number.isNaN(given)
  return isNumber ? Math.min(Math.max(0, given), timerMaxMs) : fallback
}

async function close(state: ClientState, forget: () => void): Promise<FlushResult> {
  const { settings, platform, notices } = state
  state.isClosed = true
  const { sent, failed, dropped } = await flush(state, settings.shutdownMs)
  const left = dropAll(state)
  forget()
  if (left > 0) platform.warn(formatNotSent(left, 'the client was closed'))
  notices.flush()
  return { sent, failed, dropped: dropped + left, pending: 0 }
}

function log(state: ClientState, decision: DecisionInput): string {
  const { notices, newId, ledger } = state
  const own = ownIdOf(decision)
  const decisionId = own ?? newId()
  ledger.logged++
  if (own === null) {
    const error = new Error('decisionId is not a UUID')
    notices.failed('encode', error, { count: 1, hint: 'a new one was made' })
  }
  state.checkFields(decision)
  accept(state, decisionId, decision)
  return decisionId
}

function accept(state: ClientState, decisionId: string, decision: DecisionInput): void {
  const { settings, ledger } = state
  const composed = composeDecision(decision, suppressErrors(state.context), settings)
  const { agent_id, session_id } = composed.names
  if (!isSampled(session_id.text ?? decisionId, settings.sampleRate)) {
    ledger.sampledOut++
    return
  }
  // With `redact`, the agent of a dropped decision is unknown because `redact` may change it.
  const agentId = settings.redact === undefined ? agent_id.text : undefined
  if (state.isClosed) return countUnqueued(state, 'shutdown', agentId)
  try {
    enqueue(state, encode(state, { ...composed, decisionId }))
  } catch (error) {
    countUnqueued(state, reasonOf(state, error), agentId)
  }
}

function encode(state: ClientState, raw: RawDecision): EncodedDecision {
  const { redact, maxDecisionBytes: maxLength } = state.settings
  if (redact === undefined) return encodeDecision(raw, { maxLength })
  return redactDecision(raw, redact, { maxLength })
}

function enqueue(state: ClientState, encoded: EncodedDecision): void {
  const { ledger, queue, platform, settings } = state
  const { decisionId, text, changes, agentId } = encoded
  const bytes = platform.byteLength(text)
  if (bytes > settings.maxDecisionBytes) throw tooLarge
  if (changes > 0) ledger.changed++
  const times = { attempts: 0, firstTriedAt: undefined }
  const entry = { decisionId, text, bytes, agentId, sequence: ledger.logged, ...times }
  const gone = offer(queue, entry)
  if (gone.length > 0) countDropped(state, gone, 'queue_full')
  if (gone[0] !== entry) noteQueued(state)
}

/** Returns the drop reason for an error. Also reports `redact` and encoding errors to `onError`. */
function reasonOf({ notices }: ClientState, error: unknown): DropReason {
  if (error === redacted) return 'redacted'
  if (error === tooLarge) return 'too_large'
  if (error instanceof RedactError) {
    notices.failed('redact', error, { count: 1, hint: 'the decision was dropped' })
    return 'redact_error'
  }
  const known = error === invalid ? invalid : new Error('a decision cannot be encoded')
  notices.failed('encode', known, { count: 1, hint: 'it was dropped' })
  return 'invalid'
}
