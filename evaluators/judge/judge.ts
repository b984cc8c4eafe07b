/** Judges a decision: asks a model for a grade, and returns a finding or a failure, and the cost.
 *
 *  ask ─┬─ grade on the scale ────────────────────▶ finding
 *       ├─ truncated ──▶ retry once with twice the tokens, else failure: invalid_result
 *       ├─ unreadable ─▶ ask once for a corrected reply, else failure: invalid_result
 *       ├─ without the nonce ─────────────────────▶ failure: invalid_result
 *       ├─ not on the scale ──────────────────────▶ failure: out_of_range, unknown_label
 *       ├─ refused ───────────────────────────────▶ failure: judge_refused
 *       └─ no response ───────────────────────────▶ failure with the reason of the JudgeError
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { CompletionReply, JudgeClient, JudgeMessage } from '../../platform/llm/judge-client.ts'
import { JudgeError } from '../../platform/llm/judge-error.ts'
import type { JudgeErrorReason } from '../../platform/llm/judge-error.ts'
import { EvaluatorFailure } from '../evaluator.ts'
import type { FailureReason, Finding, Skipped } from '../evaluator.ts'
import { findingOf } from './finding-of.ts'
import { defaultTemperature, defaultTokens, tokensMax } from './judge-config.ts'
import type { JudgeConfig } from './judge-config.ts'
import { addUsage, costNanoUsd } from './price.ts'
import type { TokenUsage } from './price.ts'
import { createPromptWriter } from './prompt.ts'
import type { Prompt, PromptWriter } from './prompt.ts'
import { readReply } from './read-reply.ts'
import type { Unreadable } from './read-reply.ts'

export interface JudgeFailure {
  readonly kind: 'failure'
  readonly status_reason: JudgeErrorReason | FailureReason | 'invalid_result'
  /** Whether a retry of the run can succeed, as in JudgeError. */
  readonly retryable: boolean
  readonly blocks: boolean
  readonly retryAfterMs: number | null
  readonly http_status: number | null
  /** Contains no text from the decision or the reply. */
  readonly message: string
}

export interface Judgement {
  readonly outcome: Finding | Skipped | JudgeFailure
  /**
   * Total of all calls that had a response. A count is null if a call did not report it, or if no
   * call had a response.
   */
  readonly usage: TokenUsage
  readonly cost_nano_usd: number | null
  readonly model: string
  readonly model_reported: string | null
  readonly latency_ms: number
  /** The text of the last reply, truncated. */
  readonly reply: string | null
  /** Number of requests to the model. */
  readonly calls: number
}

export interface JudgeCall {
  readonly client: JudgeClient
  readonly run_id?: string
  readonly signal?: AbortSignal
}

const replyCharactersKept = 8000
const repairedCharactersMax = 4000
const nothingSpent: TokenUsage = Object.freeze({ input_tokens: 0, output_tokens: 0 })
const nothingKnown: TokenUsage = Object.freeze({ input_tokens: null, output_tokens: null })

/** Prompt writers by evaluator version. A version never changes, so its writer can be reused. */
const writers = new WeakMap<EvaluatorVersion, PromptWriter>()

/**
 * Asks the model for a grade. All calls together take at most the version's `timeout_ms`.
 * @throws the signal's reason if the signal is aborted, and nothing else
 */
export async function judge(
  version: EvaluatorVersion,
  decision: Decision,
  call: JudgeCall
): Promise<Judgement> {
  const config = version.config as unknown as JudgeConfig
  const writer = writerOf(version, config)
  const prompt = writer.write(decision)
  const state = beginning(config)
  if ('kind' in prompt) return judgementOf(prompt, state, call.client)
  try {
    return await askUntilRead({ version, config, writer, prompt, call }, state)
  } catch (error) {
    if (!(error instanceof JudgeError)) throw error
    state.calls += error.calls
    return judgementOf(failureOf(error), state, call.client)
  }
}

function writerOf(version: EvaluatorVersion, config: JudgeConfig): PromptWriter {
  const known = writers.get(version)
  if (known !== undefined) return known
  const made = createPromptWriter(config)
  writers.set(version, made)
  return made
}

/** Model, resources used and last reply of the calls made so far for a judgement. */
interface State {
  readonly model: string
  usage: TokenUsage
  calls: number
  latency_ms: number
  reply: CompletionReply | null
}

function beginning({ model }: JudgeConfig): State {
  return { model, usage: nothingSpent, calls: 0, latency_ms: 0, reply: null }
}

interface Question {
  readonly version: EvaluatorVersion
  readonly config: JudgeConfig
  readonly writer: PromptWriter
  readonly prompt: Prompt
  readonly call: JudgeCall
}

async function askUntilRead(question: Question, state: State): Promise<Judgement> {
  const { version, config, prompt, call } = question
  const deadline = performance.now() + version.timeout_ms
  const remedies = new Set(['more tokens', 'repair'])
  let max_tokens = config.max_tokens ?? defaultTokens
  let messages = prompt.messages
  for (;;) {
    const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()))
    const reply = await ask(question, state, { messages, max_tokens, timeoutMs })
    const read = readOutcome(reply, question)
    if (read.kind !== 'unreadable') return judgementOf(read, state, call.client)
    const isCut = reply.finish_reason === 'length'
    const isWorthAsking = remedies.delete(isCut ? 'more tokens' : 'repair')
    if (!isWorthAsking) {
      return judgementOf(failed('invalid_result', `the reply ${read.problem}`), state, call.client)
    }
    if (isCut) max_tokens = Math.min(2 * max_tokens, tokensMax)
    else messages = [...prompt.messages, ...repairing(reply, read.problem)]
  }
}

interface Asking {
  readonly messages: readonly JudgeMessage[]
  readonly max_tokens: number
  readonly timeoutMs: number
}

async function ask(question: Question, state: State, asking: Asking): Promise<CompletionReply> {
  const { config, writer, call } = question
  const { messages, max_tokens, timeoutMs } = asking
  const { signal } = call
  const reply = await call.client.complete(
    {
      model: config.model,
      messages,
      temperature: config.temperature ?? defaultTemperature,
      max_tokens,
      schema: writer.schema,
      run_id: call.run_id ?? null
    },
    { timeoutMs, ...(signal === undefined ? {} : { signal }) }
  )
  state.usage = addUsage(state.usage, reply)
  state.calls += reply.calls
  state.latency_ms += reply.latency_ms
  state.reply = reply
  return reply
}

function readOutcome(
  reply: CompletionReply,
  { version, config, prompt }: Question
): Finding | JudgeFailure | Unreadable {
  if (reply.refusal !== null) return failed('judge_refused', 'the judge refused to grade')
  if (reply.finish_reason === 'content_filter') {
    return failed('judge_refused', "the provider's content filter cut off the reply")
  }
  const read = readReply(reply.text ?? '', { scale: config.scale, nonce: prompt.nonce })
  if (read.kind === 'unreadable') return read
  // Does not ask for a corrected reply, because that would only tell a model that follows
  // instructions in the content to add the nonce.
  if (read.kind === 'untrusted') {
    return failed('invalid_result', 'the reply does not contain the nonce')
  }
  try {
    return findingOf(read, version.output)
  } catch (error) {
    if (!(error instanceof EvaluatorFailure)) throw error
    return failed(error.status_reason, error.message)
  }
}

/**
 * Creates the messages that ask the model to correct an invalid reply: the reply and the problem
 * with it. The question is already in the conversation.
 */
function repairing(reply: CompletionReply, problem: string): JudgeMessage[] {
  const said = (reply.text ?? '').slice(0, repairedCharactersMax)
  return [
    { role: 'assistant', content: said === '' ? '(nothing)' : said },
    { role: 'user', content: `Your reply ${problem}. Reply again, with the JSON object alone.` }
  ]
}

function failed(status_reason: JudgeFailure['status_reason'], message: string): JudgeFailure {
  const permanent = { retryable: false, blocks: false, retryAfterMs: null, http_status: null }
  return { kind: 'failure', status_reason, ...permanent, message }
}

function failureOf(error: JudgeError): JudgeFailure {
  const { status_reason, retryable, blocks, retryAfterMs, http_status, message } = error
  return { kind: 'failure', status_reason, retryable, blocks, retryAfterMs, http_status, message }
}

function judgementOf(outcome: Judgement['outcome'], state: State, client: JudgeClient): Judgement {
  const { model, calls, latency_ms, reply } = state
  const price = client.models.find((each) => each.model === model)
  const usage = reply === null ? nothingKnown : state.usage
  return {
    outcome,
    usage,
    cost_nano_usd: costNanoUsd(price, usage),
    model,
    model_reported: reply?.model_reported ?? null,
    latency_ms,
    reply:
      reply?.text?.slice(0, replyCharactersKept).replaceAll('\u0000', '').toWellFormed() ?? null,
    calls
  }
}
