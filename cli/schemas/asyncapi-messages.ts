/** The messages of the topics, as AsyncAPI describes them. */
import { decisionContract, evaluationContract } from '../../schemas/index.ts'
import type { AvroContract } from '../../schemas/index.ts'

const uuid = { type: 'string', format: 'uuid' }
const text = { type: 'string' }

const identity = {
  decision_id: { ...uuid, description: 'With organization_id the identity of the decision.' },
  organization_id: { ...uuid, description: 'The tenant.' }
}

const traceparent = {
  ...text,
  description: 'W3C trace context of the request, where the caller sent one.'
}

/** The closed list is that of core/consumed.ts; a reader should survive a word it does not know. */
const letterHeaders = {
  dead_letter_reason: { ...text, description: 'Why, in a word.' },
  dead_letter_step: { ...text, enum: ['decode', 'store'], description: 'Which step refused it.' },
  dead_letter_error: { ...text, maxLength: 1000, description: 'Why, in a sentence for people.' },
  dead_letter_group: { ...text, description: 'The consumer group that refused it.' },
  dead_letter_topic: { ...text, description: 'Where the original was.' },
  dead_letter_partition: { ...text, pattern: '^[0-9]+$' },
  dead_letter_offset: { ...text, pattern: '^[0-9]+$' }
}

const key = {
  ...text,
  description: 'agent_id in UTF-8, else session_id, else decision_id.'
}

function payloadOf({ text: schema }: AvroContract) {
  const schemaFormat = 'application/vnd.apache.avro+json;version=1.9.0'
  return { schemaFormat, schema: JSON.parse(schema) as object }
}

/** @param headers whichever of them need not be there are in `optional`. */
function headersOf(headers: object, optional: object = {}) {
  return {
    type: 'object',
    properties: { ...headers, ...optional },
    required: Object.keys(headers)
  }
}

const ids = {
  decision_id: '0199c5a8-7f00-7000-8000-000000000001',
  organization_id: '7d0c6a2e-3f53-4a0e-9f0a-2b6a4f1f9a11'
}

const decisionExample = {
  headers: ids,
  payload: {
    ...ids,
    received_at: 1_769_846_400_000,
    input: '{"question":"May I return these shoes?","days":12}',
    output: 'Yes: within 30 days, unworn, you get the full price back.',
    agent_id: 'refund-agent',
    session_id: 'ticket-4711',
    domain: 'refunds',
    metadata: '{"model":"small-1","latency_ms":812}',
    input_tokens: 420,
    output_tokens: 96,
    sdk_version: null
  }
}

/** The wire format: a zero byte, four bytes of schema id, then Avro. */
const inWireFormat = {
  contentType: 'application/vnd.apache.avro+binary',
  bindings: {
    kafka: {
      key,
      schemaIdLocation: 'payload',
      schemaIdPayloadEncoding: 'confluent',
      schemaLookupStrategy: 'TopicNameStrategy',
      bindingVersion: '0.5.0'
    }
  }
}

function letterOf(of: string) {
  return {
    name: `${of}_dead_letter`,
    title: `A ${of} that was refused`,
    summary: 'Key, value and headers of the original, byte for byte, and beside them why.',
    contentType: 'application/octet-stream',
    headers: headersOf(letterHeaders, { ...identity, traceparent }),
    bindings: { kafka: { key: { ...text, description: 'As it was.' }, bindingVersion: '0.5.0' } }
  }
}

/** By the role of the topic that has them. */
export const asyncapiMessages = {
  decisions: {
    name: 'decision',
    title: 'A decision that was acknowledged',
    summary: 'What an agent was given and what it answered, as the gateway accepted it.',
    description:
      '`input` and `metadata` are JSON text exactly as sent. The same decision may come more ' +
      'than once: its identity is (organization_id, decision_id).',
    headers: headersOf(identity, { traceparent }),
    payload: payloadOf(decisionContract),
    correlationId: { location: '$message.header#/decision_id' },
    examples: [decisionExample],
    ...inWireFormat
  },
  evaluations: {
    name: 'evaluation',
    title: 'Runs of a decision that have ended',
    summary: 'Ended evaluation runs of one decision, with their scores.',
    description:
      'The runs of a decision may be spread over several records, and each record may be ' +
      'redelivered. A run in `runs` is identified by (organization_id, decision_id, rule_id, ' +
      'evaluator_id), a run in `later_runs` by (organization_id, decision_id, run_id). A replay ' +
      'has a higher generation.',
    headers: headersOf(identity),
    payload: payloadOf(evaluationContract),
    correlationId: { location: '$message.header#/decision_id' },
    ...inWireFormat
  },
  decisions_dead_letter: letterOf('decision'),
  evaluations_dead_letter: letterOf('evaluation')
}
