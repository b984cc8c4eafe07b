/** Defines request shapes: the formats in which a request carries decisions. */
import { groupOf, makeDecisions, makeHotDecisions, makeUnicodeDecisions } from './decisions.ts'
import { exportLogsJson, exportLogsProtobuf } from './otlp.ts'
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
  'otlp-batch-json': shapeOf(json, batchSize, joinJson)
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
