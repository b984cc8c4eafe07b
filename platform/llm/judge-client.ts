/** Judge client: requests chat completions from OpenAI-compatible servers. */
import { APIError, OpenAI } from 'openai'
import type { Clock } from '../../core/clock.ts'
import { createCache } from '../process/cache.ts'
import { createDeadline } from '../process/deadline.ts'
import type { Deadline } from '../process/deadline.ts'
import { commonDialect, fullDialect, lesserDialect } from './judge-dialect.ts'
import type { JudgeDialect } from './judge-dialect.ts'
import type { JudgeError } from './judge-error.ts'
import { responseError, timeoutError, transportError } from './judge-error.ts'
import type { Fetch } from '../http-client/outbound.ts'

export interface ModelPrice {
  readonly model: string
  /** Null if the price is unknown. */
  readonly usd_per_million_input: number | null
  readonly usd_per_million_output: number | null
}

interface JudgeConnection {
  /** Base URL without `/chat/completions`. */
  readonly base_url: string
  /** Null if the server requires no key. */
  readonly api_key: string | null
  readonly models: readonly ModelPrice[]
}

export interface JudgeMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

export interface CompletionRequest {
  readonly model: string
  readonly messages: readonly JudgeMessage[]
  readonly temperature: number
  readonly max_tokens: number
  /** JSON Schema of the reply, sent to servers that can enforce it. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Sent in the header `x-sluice-run` to attribute requests to runs; null outside of runs. */
  readonly run_id: string | null
}

interface CompletionLimits {
  /** Aborts the call, which then throws the reason of the signal. */
  readonly signal?: AbortSignal
  readonly timeoutMs: number
}

export interface CompletionReply {
  /** Null if the model returned no text or refused. */
  readonly text: string | null
  readonly refusal: string | null
  readonly finish_reason: string | null
  readonly model_reported: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly latency_ms: number
  /** Number of requests sent. It exceeds one only if the server's dialect was being detected. */
  readonly calls: number
}

export interface JudgeClient {
  readonly models: readonly ModelPrice[]
  /**
   * Sends the request. Retries only to detect the dialect.
   * @throws {JudgeError}, or the signal's reason if the signal is aborted
   */
  complete(request: CompletionRequest, limits: CompletionLimits): Promise<CompletionReply>
}

interface JudgeClientDependencies {
  /** The `fetch` of `createOutbound`. */
  readonly fetch: Fetch
  readonly clock: Clock
}

const modelsMax = 100
/**
 * Maximum token count accepted from a server, so that sums fit in their database columns even if
 * the server reports incorrect counts.
 */
const tokensMax = 1_000_000_000
/** Headers to send. Other headers of the library would reveal details of this machine. */
const sentHeaders = ['accept', 'authorization', 'content-type', 'x-sluice-run']

/** Creates a client that remembers the dialect of each model. Keep one client per connection. */
export function createJudgeClient(
  connection: JudgeConnection,
  { fetch, clock }: JudgeClientDependencies
): JudgeClient {
  const openai = openaiOf(connection, fetch)
  const dialects = createCache<JudgeDialect>(modelsMax)
  const dialectOf = (model: string): JudgeDialect => dialects.get(model) ?? fullDialect

  async function complete(request: CompletionRequest, limits: CompletionLimits) {
    const deadline = createDeadline(limits.timeoutMs, limits.signal)
    try {
      return await completeWithin(request, deadline, limits)
    } finally {
      deadline.clear()
    }
  }

  async function completeWithin(
    request: CompletionRequest,
    deadline: Deadline,
    { signal, timeoutMs }: CompletionLimits
  ): Promise<CompletionReply> {
    for (let calls = 1; ; calls++) {
      const dialect = dialectOf(request.model)
      try {
        return await completeOnce(openai, { request, dialect, signal: deadline.signal, calls })
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        if (deadline.isOver()) throw timeoutError(timeoutMs, calls)
        const lesser = lesserAfter(error, dialect)
        if (lesser === null) throw judgeErrorOf(error, clock, calls)
        dialects.set(request.model, commonDialect(dialectOf(request.model), lesser))
      }
    }
  }

  return { models: connection.models, complete }
}

/** Sets every option that the library would otherwise read from the environment. */
function openaiOf({ base_url, api_key }: JudgeConnection, fetch: Fetch): OpenAI {
  return new OpenAI({
    apiKey: api_key ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: base_url,
    maxRetries: 0,
    logLevel: 'off',
    ...(api_key === null ? { defaultHeaders: { authorization: null } } : {}),
    fetch: (url, init) => {
      const headers = new Headers(init?.headers)
      const kept = sentHeaders.flatMap((name) => {
        const value = headers.get(name)
        return value === null ? [] : [[name, value] as [string, string]]
      })
      return fetch(url, { ...init, headers: [...kept, ['user-agent', 'sluice']] })
    }
  })
}

interface Call {
  readonly request: CompletionRequest
  readonly dialect: JudgeDialect
  readonly signal: AbortSignal
  readonly calls: number
}

async function completeOnce(openai: OpenAI, call: Call): Promise<CompletionReply> {
  const { request, dialect, signal, calls } = call
  const headers = request.run_id === null ? {} : { 'x-sluice-run': request.run_id }
  const startedAt = performance.now()
  const completion: unknown = await openai.chat.completions.create(bodyOf(request, dialect), {
    signal,
    headers
  })
  const latency_ms = Math.round(performance.now() - startedAt)
  return { ...replyOf(completion), latency_ms, calls }
}

function bodyOf(request: CompletionRequest, dialect: JudgeDialect) {
  const { model, messages, temperature, max_tokens, schema } = request
  return {
    model,
    messages: [...messages],
    [dialect.limitName]: max_tokens,
    ...(dialect.takesTemperature ? { temperature } : {}),
    ...formatOf(dialect, schema)
  }
}

function formatOf({ replyFormat }: JudgeDialect, schema: CompletionRequest['schema']) {
  switch (replyFormat) {
    case 'json_schema': {
      const json_schema = { name: 'grade', strict: true, schema: { ...schema } }
      return { response_format: { type: replyFormat, json_schema } }
    }
    case 'json_object':
      return { response_format: { type: replyFormat } }
    case 'text':
      return {}
  }
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Thrown for a response with status 200 whose body contains an error. Some servers send such
 * responses.
 */
class ErrorInAnswer extends Error {
  readonly error: unknown

  constructor(error: unknown) {
    super('the response contains an error')
    this.error = error
  }
}

/** Converts the response without trusting its shape, because a tenant controls the server. */
function replyOf(completion: unknown): Omit<CompletionReply, 'latency_ms' | 'calls'> {
  const { choices, usage, model, error } = fieldsOf(completion)
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (error !== undefined && error !== null) throw new ErrorInAnswer(error)
  if (choice === undefined) throw new Error('the response has no choice')
  const { message, finish_reason } = fieldsOf(choice)
  const { content, refusal } = fieldsOf(message)
  const { prompt_tokens, completion_tokens } = fieldsOf(usage)
  return {
    text: textOf(content),
    refusal: textOf(refusal),
    finish_reason: textOf(finish_reason),
    model_reported: textOf(model)?.slice(0, 200) ?? null,
    input_tokens: countOf(prompt_tokens),
    output_tokens: countOf(completion_tokens)
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function countOf(value: unknown): number | null {
  return integerWithin(value, 0, tokensMax)
}

function integerWithin(value: unknown, min: number, max: number): number | null {
  const isWithin = Number.isInteger(value) && min <= Number(value) && Number(value) <= max
  return isWithin ? Number(value) : null
}

function lesserAfter(error: unknown, dialect: JudgeDialect): JudgeDialect | null {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return null
  return lesserDialect(dialect, `${error.param ?? ''} ${error.message}`)
}

function judgeErrorOf(error: unknown, clock: Clock, calls: number): JudgeError {
  if (error instanceof ErrorInAnswer) {
    const status = integerWithin(fieldsOf(error.error)['code'], 400, 599) ?? 502
    return responseError({ status, headers: undefined, error: error.error }, clock, calls)
  }
  if (error instanceof APIError && error.status !== undefined) {
    const { status, headers } = error as APIError<number, Headers>
    return responseError({ status, headers, error: error.error }, clock, calls)
  }
  return transportError(error, calls)
}
