/** Converts a span to a decision, as the JSON that the ingest path reads. */
import { decisionIdOf } from '../../core/decision/of-span.ts'
import { quoted } from '../../core/json/quoted.ts'
import type { Attributes } from './attributes.ts'
import type { SpanClass } from './classify.ts'
import { takeInput, takeOutput } from './content.ts'
import type { JsonPart, SpanContent } from './content.ts'
import { SpanError, isText, jsonOf } from './span.ts'
import type { OtlpSpan, SpanInPlace, Value, Values } from './span.ts'

let parentOfSibling = { span: '', id: '' }

/** Returns the id of a parent. Siblings often follow each other, and a hash takes 0.7 µs. */
export function parentIdOf(span: string): string {
  if (parentOfSibling.span !== span) parentOfSibling = { span, id: decisionIdOf(span) }
  return parentOfSibling.id
}

/** A span and what is known about it. */
export interface SpanOrigin extends Omit<SpanInPlace, 'resource'> {
  readonly spanClass: SpanClass
  readonly content: SpanContent
  readonly resource: Resource
}

/** What the decisions of a resource have in common. */
export interface Resource {
  readonly service: string | null
  readonly namespace: string | null
  readonly version: string | null
  /** All attributes, in JSON. */
  readonly json: string
}

/** The attributes of each field, by priority. */
const agentKeys = ['sluice.agent_id', 'gen_ai.agent.id', 'gen_ai.agent.name', 'agent.name']
const functionKey = 'ai.telemetry.functionId'
const keys = {
  agent: [...agentKeys, functionKey],
  agentOfAgent: [...agentKeys, 'traceloop.entity.name', functionKey],
  session: [
    'sluice.session_id',
    'gen_ai.conversation.id',
    'session.id',
    'traceloop.association.properties.session_id',
    'ai.telemetry.metadata.sessionId'
  ],
  domain: ['sluice.domain'],
  inputTokens: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'decision.token_count.input',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    'gen_ai.aggregated_usage.input_tokens'
  ],
  outputTokens: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'decision.token_count.output',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
    'gen_ai.aggregated_usage.output_tokens'
  ],
  model: [
    'gen_ai.response.model',
    'gen_ai.request.model',
    'llm.model_name',
    'decision.model_name',
    'ai.response.model',
    'ai.model.id'
  ],
  provider: [
    'gen_ai.provider.name',
    'gen_ai.system',
    'llm.provider',
    'decision.provider',
    'ai.model.provider'
  ],
  finishReasons: ['gen_ai.response.finish_reasons', 'ai.response.finishReason'],
  agentVersion: ['gen_ai.agent.version'],
  error: ['error.type']
}

/**
 * Maximum size of the remaining attributes and of a resource, in characters of JSON. Metadata of
 * more than 64 Ki characters has no labels.
 */
const attributesMax = 32 * 1024
const resourceMax = 8 * 1024
/** Maximum length of a text that is repeated in each decision of a request. */
const repeatedMax = 1000
/** The last millisecond of a JavaScript date. */
const dateMsMax = 8.64e15

export function resourceOf(values: Values): Resource {
  const textAt = (key: string) => {
    const value = values.get(key)
    if (value === undefined || !isText(value)) return null
    return shortText(key, String(value)) || null
  }
  return {
    service: textAt('service.name'),
    namespace: textAt('service.namespace'),
    version: textAt('service.version'),
    json: restOf(values, resourceMax).json
  }
}

/**
 * Returns a text that is repeated in each decision of a request.
 * @throws {SpanError} if it is long, because the decisions would not fit in memory
 */
export function shortText(what: string, text: string): string {
  if (text.length <= repeatedMax) return text
  throw new SpanError(`${what} has more than ${repeatedMax} characters`)
}

/**
 * Returns the body of a decision without its decision_id.
 * @param parentId the decision_id of the nearest ancestor that became a decision, if it is known
 * @throws {SpanError} if the span has no content
 */
export function decisionOf(origin: SpanOrigin, parentId: string | null): JsonPart[] {
  const { content, spanClass, resource } = origin
  const { attributes } = content
  const { input, output, format } = takeContent(origin)
  const tokens = tokensOf(content)
  const { kind } = spanClass
  const isCall = kind === 'generation' || kind === 'decision'
  const agent = kind === 'agent' ? keys.agentOfAgent : keys.agent
  const otel =
    identityOf(origin) +
    text('provider', attributes.takeText(keys.provider)) +
    member('finish_reasons', attributes.take(keys.finishReasons)) +
    format +
    (isCall || tokens === '' ? '' : `,"usage_aggregate":{${tokens.slice(1)}}`) +
    evaluationsOf(content) +
    `,"resource":${resource.json}`
  const more =
    text('agent_id', attributes.takeText(agent) ?? resource.service) +
    text('session_id', attributes.takeText(keys.session)) +
    text('domain', attributes.takeText(keys.domain) ?? resource.namespace) +
    (isCall ? tokens : '') +
    `,"metadata":{${placeOf(origin, parentId)}${metadataOf(origin, otel)}}}`
  return ['{"input":', ...input, ',"output":', output, more]
}

const noInput = { json: ['null'], isCut: false }
const noOutput = { json: '""', format: 'none', isCut: false } as const

/** Returns the values of `input` and `output`, and how they are represented. */
function takeContent({ content, span, isLogged }: SpanOrigin) {
  const [foundInput, foundOutput] = [takeInput(content), takeOutput(content)]
  if (foundInput === null && foundOutput === null)
    throw new SpanError(contentMissing, 'content_not_captured')
  if (foundOutput === null && isLogged && !span.isError)
    throw new SpanError(replyMissing, 'reply_missing')
  const [input, output] = [foundInput ?? noInput, foundOutput ?? noOutput]
  return {
    input: input.json,
    output: output.json,
    format:
      text('output_format', output.format) +
      (input.isCut || output.isCut ? ',"truncated":true' : '')
  }
}

const contentMissing =
  'the content was not captured; set ' +
  'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY and ' +
  'OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental, or the setting of your ' +
  'instrumentation that records inputs and outputs'

const replyMissing =
  'the call failed, or the log record of its reply is not in the same request; send the records ' +
  'of a call together'

/** Returns a member of an object with a leading comma, or nothing if there is no text. */
function text(name: string, value: string | null): string {
  return value === null ? '' : `,"${name}":${quoted(value)}`
}

function member(name: string, value: Value | undefined): string {
  return value === undefined ? '' : `,"${name}":${jsonOf(value)}`
}

function tokensOf({ attributes }: SpanContent): string {
  return (
    count('input_tokens', takeCount(attributes, keys.inputTokens)) +
    count('output_tokens', takeCount(attributes, keys.outputTokens))
  )
}

function count(name: string, value: string | null): string {
  return value === null ? '' : `,"${name}":${value}`
}

/** A whole number in JSON, which has no leading zeros. */
const wholeNumber = /^(?:0|[1-9]\d{0,14})$/

/** Takes the digits of the first value that is a whole number. */
function takeCount(attributes: Attributes, names: readonly string[]): string | null {
  const name = names.find((each) => wholeNumber.test(attributes.peek(each) ?? ''))
  return name === undefined ? null : attributes.takeText([name])
}

function evaluationsOf({ evaluations }: SpanContent): string {
  return evaluations.length === 0 ? '' : `,"evaluations":[${evaluations.join(',')}]`
}

/** Returns the first members of `metadata.otel`. */
function identityOf({ span, spanClass, scope }: SpanOrigin): string {
  return (
    `"span_id":"${span.spanId}"` +
    text('parent_span_id', span.parentSpanId) +
    `,"dialect":"${spanClass.dialect}"` +
    text('scope', scope || null)
  )
}

/** Returns the members of `metadata` by which decisions of a trace are found. */
function placeOf({ span, spanClass }: SpanOrigin, parentId: string | null): string {
  return (
    `"trace_id":"${span.traceId}","kind":"${spanClass.kind}"` +
    text('name', span.name || null) +
    text('parent_decision_id', parentId)
  )
}

/** Returns the other members of `metadata`. */
function metadataOf({ content, span, resource }: SpanOrigin, otel: string): string {
  const { attributes } = content
  const [start, end] = [msOf(span.startNanos), msOf(span.endNanos)]
  const isTimed = start > 0 && end >= start
  const members =
    text('model', attributes.takeText(keys.model)) +
    text('agent_version', attributes.takeText(keys.agentVersion) ?? resource.version) +
    (isTimed ? `,"latency_ms":${Math.round((end - start) * 1000) / 1000}` : '') +
    (end > 0 && end < dateMsMax ? `,"occurred_at":"${dateOf(end)}"` : '') +
    text('error', errorOf(span, content))
  // Last, because what was taken above is not repeated.
  const rest = restOf(attributes.rest(), attributesMax)
  const dropped = rest.dropped + span.droppedAttributes
  const left = `,"attributes":${rest.json}${dropped > 0 ? `,"dropped":${dropped}` : ''}`
  return `${members},"otel":{${otel}${left}}`
}

/** Rounds to microseconds, because a double holds nanoseconds since 1970 only with an error. */
export function msOf(nanos: number): number {
  return Math.round(nanos / 1000) / 1000
}

/** The last second that was written, because a date took 0.7 µs. */
let second = { number: Number.NaN, text: '' }

/** Returns a date in ISO 8601. */
function dateOf(ms: number): string {
  const number = Math.floor(ms / 1000)
  if (number !== second.number) {
    const text = new Date(number * 1000).toISOString().slice(0, -'000Z'.length)
    second = { number, text }
  }
  return `${second.text}${String(Math.floor(ms) - number * 1000).padStart(3, '0')}Z`
}

/** Returns the attributes as JSON. Drops those that do not fit, and counts them. */
function restOf(values: Values, charactersMax: number) {
  let [json, dropped] = ['', 0]
  for (const [key, value] of values) {
    const pair = `${json === '' ? '' : ','}${quoted(key)}:${jsonOf(value)}`
    if (json.length + pair.length > charactersMax) dropped += 1
    else json += pair
  }
  return { json: `{${json}}`, dropped }
}

/** Returns the reason of a failed span; null if it did not fail. */
function errorOf({ isError, statusMessage }: OtlpSpan, { attributes }: SpanContent) {
  return isError ? (attributes.takeText(keys.error) ?? (statusMessage || 'error')) : null
}
