/** Describes `POST /v1/traces` and `POST /v1/logs` for OpenAPI. */
import { ingestHeaders, ingestOperation } from '../ingest/ingest.operation.ts'
import type { Operation } from '../../http/route.ts'
import { withExample } from '../../http/schema.ts'
import { stepKinds } from './classify.ts'
import { rejectedNames, statusSchema } from './answer.ts'
import { spansMax } from './read-spans.ts'
import { exportBytesMax, kindsHeader } from './export.ts'

/** Problems that reject only a span here, or that a body in protobuf cannot have. */
const ofOneDecision = new Set<string>(['malformed_json', 'invalid_decision'])

const shared = {
  tag: 'ingest',
  headers: {
    'x-api-key': {
      description: 'The API key, if the exporter cannot send an `authorization` header.',
      example: 'slk_local_8f2c'
    },
    [kindsHeader]: {
      description:
        'The kinds of spans that become decisions, separated by commas. All kinds: ' +
        `${stepKinds.join(', ')}. By default, all but \`tool\`.`,
      example: 'agent,generation,tool'
    }
  },
  errorSchema: statusSchema,
  problems: ingestOperation.problems.filter((code) => !ofOneDecision.has(code))
} as const satisfies Partial<Operation>

const failures = 'After a temporary failure, the whole request gets 429 or 503; send it again. '

export const tracesOperation: Operation = {
  ...shared,
  operation_id: 'exportTraces',
  summary: 'Send traces with OpenTelemetry',
  description:
    'An `ExportTraceServiceRequest` of OTLP/HTTP, in protobuf or JSON. Calls to models and ' +
    'agents become decisions; other spans are ignored. The `decision_id` of a span depends only ' +
    'on its ids, so that a request that is sent again is stored once. Spans that can never be ' +
    `accepted are reported as a partial success. ${failures}` +
    `At most ${spansMax} spans, and ${exportBytesMax} bytes after decompression.`,
  body: bodyOf('resourceSpans'),
  response: responseOf(rejectedNames.traces)
}

export const logsOperation: Operation = {
  ...shared,
  operation_id: 'exportLogs',
  summary: 'Send log records with OpenTelemetry',
  description:
    'An `ExportLogsServiceRequest` of OTLP/HTTP, in protobuf or JSON. The events that contain ' +
    'messages become decisions, one for each span. If the span itself has content, too, the ' +
    'decision that is stored first counts. Results of evaluations become scores; they need the ' +
    'scope `evaluation:write`. Other log records are ignored. Log records that can never be ' +
    `accepted are reported as a partial success. ${failures}` +
    `At most ${spansMax} log records, and ${exportBytesMax} bytes after decompression.`,
  problems: [...shared.problems, 'decision_pending', 'store_unavailable'],
  body: bodyOf('resourceLogs'),
  response: responseOf(rejectedNames.logs)
}

function bodyOf(list: string): NonNullable<Operation['body']> {
  const properties = { [list]: { type: 'array', items: { type: 'object' } } }
  return { schema: withExample({ type: 'object', properties }, { [list]: [] }), protobuf: true }
}

function responseOf(rejected: string): Operation['response'] {
  const partialSuccess = {
    type: 'object',
    required: [rejected, 'errorMessage'],
    properties: {
      [rejected]: { type: 'string', pattern: '^[0-9]+$' },
      errorMessage: { type: 'string' }
    },
    additionalProperties: false
  }
  const schema = { type: 'object', properties: { partialSuccess }, additionalProperties: false }
  return {
    200: {
      description:
        'Kafka has acknowledged every decision, and every score is stored, except those that the ' +
        'partial success rejects.',
      schema: withExample(schema, {}),
      headers: ingestHeaders
    }
  }
}
