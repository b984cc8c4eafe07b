/** Describes `POST /v1/traces` for OpenAPI. */
import { ingestHeaders, ingestOperation } from '../ingest/ingest.operation.ts'
import type { Operation } from '../../http/route.ts'
import { withExample } from '../../http/schema.ts'
import { stepKinds } from './classify.ts'
import { statusSchema } from './answer.ts'
import { spansMax } from './read-spans.ts'
import { kindsHeader, tracesBytesMax } from './traces.ts'

/** Problems that reject only a span here, or that a body in protobuf cannot have. */
const ofOneDecision = new Set<string>(['malformed_json', 'invalid_decision'])

export const tracesOperation: Operation = {
  operation_id: 'exportTraces',
  tag: 'ingest',
  summary: 'Send traces with OpenTelemetry',
  description:
    'An `ExportTraceServiceRequest` of OTLP/HTTP, in protobuf or JSON. Calls to models and ' +
    'agents become decisions; other spans are ignored. The `decision_id` of a span depends only ' +
    'on its ids, so that a request that is sent again is stored once. Spans that can never be ' +
    'accepted are reported as a partial success. After a temporary failure, the whole request ' +
    `gets 429 or 503; send it again. At most ${spansMax} spans and ${tracesBytesMax} bytes.`,
  headers: {
    'x-api-key': {
      description: 'The API key, if the exporter cannot send an `authorization` header.',
      example: 'slk_local_8f2c'
    },
    [kindsHeader]: {
      description: `The kinds of spans that become decisions, of: ${stepKinds.join(', ')}.`,
      example: 'agent,generation,tool'
    }
  },
  body: {
    schema: withExample(
      {
        type: 'object',
        properties: { resourceSpans: { type: 'array', items: { type: 'object' } } }
      },
      { resourceSpans: [] }
    ),
    protobuf: true
  },
  response: {
    200: {
      description: 'Kafka has acknowledged every decision, except those of a partial success.',
      schema: withExample(
        {
          type: 'object',
          properties: {
            partialSuccess: {
              type: 'object',
              required: ['rejectedSpans', 'errorMessage'],
              properties: {
                rejectedSpans: { type: 'string', pattern: '^[0-9]+$' },
                errorMessage: { type: 'string' }
              },
              additionalProperties: false
            }
          },
          additionalProperties: false
        },
        {}
      ),
      headers: ingestHeaders
    }
  },
  errorSchema: statusSchema,
  problems: ingestOperation.problems.filter((code) => !ofOneDecision.has(code))
}
