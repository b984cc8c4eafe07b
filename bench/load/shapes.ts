/** Defines request shapes: the formats in which a request carries decisions. */
import { groupOf, makeDecisions, makeHotDecisions } from './decisions.ts'
import { exportLogsJson, exportLogsProtobuf } from './otlp.ts'

/** To add a request format, add an entry to `shapes`. */
export interface Shape {
  readonly contentType: string
  /** Number of decisions per request. */
  readonly decisions: number
  readonly bodies: () => readonly Body[]
}

export interface Body {
  readonly content: Buffer
  /** Group under which the response is counted and timed. */
  readonly group?: string
}

const batchSize = 100
/** Fixed timestamp, so that the data is the same in each run. */
const unixNano = 1_700_000_000_000_000_000n

export const shapes = {
  decision: { contentType: 'application/json', decisions: 1, bodies: () => one(makeDecisions()) },
  batch: {
    contentType: 'application/json',
    decisions: batchSize,
    bodies: () => many(batchOf)
  },
  ndjson: {
    contentType: 'application/x-ndjson',
    decisions: batchSize,
    bodies: () => many((texts) => Buffer.from(`${texts.join('\n')}\n`))
  },
  otlp: {
    contentType: 'application/x-protobuf',
    decisions: 1,
    bodies: () => textsOf().map((text) => ({ content: exportLogsProtobuf([text], unixNano) }))
  },
  'otlp-batch': {
    contentType: 'application/x-protobuf',
    decisions: batchSize,
    bodies: () => many((texts) => exportLogsProtobuf(texts, unixNano))
  },
  'otlp-json': {
    contentType: 'application/json',
    decisions: 1,
    bodies: () => textsOf().map((text) => ({ content: exportLogsJson([text], unixNano) }))
  },
  'otlp-batch-json': {
    contentType: 'application/json',
    decisions: batchSize,
    bodies: () => many((texts) => exportLogsJson(texts, unixNano))
  },
  'hot-agent': {
    contentType: 'application/json',
    decisions: 1,
    bodies: () => one(makeHotDecisions())
  },
  'hot-agent-batch': {
    contentType: 'application/json',
    decisions: batchSize,
    bodies: () => many(batchOf, makeHotDecisions())
  }
} satisfies Readonly<Record<string, Shape>>

export type ShapeName = keyof typeof shapes

function one(decisions: readonly Record<string, unknown>[]): Body[] {
  return decisions.map((decision) => ({
    content: Buffer.from(JSON.stringify(decision)),
    group: groupOf(String(decision['agent_id']))
  }))
}

function batchOf(texts: readonly string[]): Buffer {
  return Buffer.from(`{"decisions":[${texts.join(',')}]}`)
}

function many(join: (texts: readonly string[]) => Buffer, decisions = makeDecisions()): Body[] {
  const texts = decisions.map((decision) => JSON.stringify(decision))
  return Array.from({ length: texts.length / batchSize }, (_, at) => ({
    content: join(texts.slice(at * batchSize, (at + 1) * batchSize))
  }))
}

function textsOf(): string[] {
  return makeDecisions().map((decision) => JSON.stringify(decision))
}
