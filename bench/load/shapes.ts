/** Defines request shapes: the formats in which a request carries decisions. */
import { groupOf, makeDecisions, makeHotDecisions, makeUnicodeDecisions } from './decisions.ts'
import { exportLogsJson, exportLogsProtobuf, exportSpansProtobuf } from './otlp.ts'
import type { SpanAttributes } from './otlp.ts'
import { writePythonJson } from './python-json.ts'

/** To add a request format, add an entry to `shapes`. */
export interface Shape {
  readonly contentType: string
  /** Number of decisions per request. */
  readonly decisions: number
  readonly bodies: (kind?: BodyKind) => readonly Body[]
}

export interface Body {
  readonly content: Buffer
  /** Group under which the response is counted and timed. */
  readonly group?: string
}

const batchSize = 100
/** Fixed timestamp, so that the data is the same in each run. */
const unixNano = 1_700_000_000_000_000_000n

/** Decisions of each kind of bodies, and how they are written. */
const kinds = {
  plain: { make: makeDecisions, write: JSON.stringify },
  unicode: { make: makeUnicodeDecisions, write: JSON.stringify },
  python: { make: makeUnicodeDecisions, write: writePythonJson },
  'hot-agent': { make: makeHotDecisions, write: JSON.stringify }
}

export type BodyKind = keyof typeof kinds

const json = 'application/json'
const protobuf = 'application/x-protobuf'

export const shapes = {
  decision: shapeOf(json, 1, ([decision], write) => Buffer.from(write(decision))),
  batch: shapeOf(json, batchSize, (decisions, write) => Buffer.from(write({ decisions }))),
  ndjson: shapeOf('application/x-ndjson', batchSize, (decisions, write) =>
    Buffer.from(`${decisions.map(write).join('\n')}\n`)
  ),
  otlp: shapeOf(protobuf, 1, joinProtobuf),
  'otlp-batch': shapeOf(protobuf, batchSize, joinProtobuf),
  'otlp-json': shapeOf(json, 1, joinJson),
  'otlp-batch-json': shapeOf(json, batchSize, joinJson),
  'otlp-spans': shapeOf(protobuf, batchSize, joinSpans)
}

export type ShapeName = keyof typeof shapes

type Write = (value: unknown) => string
/** Returns the content of a request with these decisions. */
type Join = (decisions: readonly Record<string, unknown>[], write: Write) => Buffer

function joinProtobuf(decisions: readonly unknown[], write: Write): Buffer {
  return exportLogsProtobuf(decisions.map(write), unixNano)
}

function joinJson(decisions: readonly unknown[], write: Write): Buffer {
  return exportLogsJson(decisions.map(write), unixNano)
}

/** Writes each decision as a span of a call to a model. */
function joinSpans(decisions: readonly Record<string, unknown>[], write: Write): Buffer {
  return exportSpansProtobuf(
    decisions.map((decision) => spanOf(decision, write)),
    unixNano
  )
}

function spanOf(decision: Record<string, unknown>, write: Write): SpanAttributes {
  const { messages } = decision['input'] as { messages: readonly object[] }
  const partsOf = (content: unknown) => [{ type: 'text', content }]
  const reply = { role: 'assistant', parts: partsOf(decision['output']), finish_reason: 'stop' }
  const inputs = messages.map((message) => {
    const { role, content } = message as Record<string, unknown>
    return { role, parts: partsOf(content) }
  })
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'small',
    'gen_ai.request.model': 'small-1',
    'gen_ai.response.model': 'small-1',
    'gen_ai.response.id': 'r-1',
    'gen_ai.conversation.id': String(decision['session_id']),
    'gen_ai.agent.name': String(decision['agent_id']),
    'gen_ai.usage.input_tokens': 31,
    'gen_ai.usage.output_tokens': 14,
    'gen_ai.input.messages': write(inputs),
    'gen_ai.output.messages': write([reply])
  }
}

function shapeOf(contentType: string, size: number, join: Join): Shape {
  const bodies = (kind: BodyKind = 'plain'): Body[] => {
    const { make, write } = kinds[kind]
    const decisions = make()
    return Array.from({ length: decisions.length / size }, (_, at) => {
      const content = join(decisions.slice(at * size, (at + 1) * size), (value) => write(value))
      return size === 1
        ? { content, group: groupOf(String(decisions[at]?.['agent_id'])) }
        : { content }
    })
  }
  return { contentType, decisions: size, bodies }
}
