/** Defines the AsyncAPI messages of the topics. */
import { deadLetterSteps } from '../../core/message-outcome.ts'
import { decisionContract, evaluationContract } from '../../schemas/index.ts'
import type { AvroContract } from '../../schemas/index.ts'

const uuid = { type: 'string', format: 'uuid' }
const text = { type: 'string' }

const identity = {
  decision_id: { ...uuid, description: 'Identity of the decision, together with organization_id.' },
  organization_id: { ...uuid, description: 'The tenant.' }
}

const traceparent = {
  ...text,
  description: 'W3C trace context of the request, if the caller sent one.'
}

/**
 * Headers of a dead-letter record. core/message-outcome.ts lists the reasons, but readers should
 * tolerate unknown values.
 */
const deadLetterHeaders = {
  dead_letter_reason: { ...text, description: 'The reason, as a code.' },
  dead_letter_step: {
    ...text,
    enum: [...deadLetterSteps],
    description: 'The step that rejected the message.'
  },
  dead_letter_error: {
    ...text,
    maxLength: 1000,
    description: 'The reason, as a sentence for people.'
  },
  dead_letter_group: { ...text, description: 'The consumer group that rejected the message.' },
  dead_letter_topic: { ...text, description: 'The topic of the original message.' },
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

/** Returns a schema in which `headers` are required and `optional` headers are not. */
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

/** Wire format: a zero byte, a schema ID of four bytes, then Avro. */
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

function deadLetterMessageOf(of: string) {
  return {
    name: `${of}_dead_letter`,
    title: `A dead-lettered ${of}`,
    summary:
      'Key, value and headers of the original message, byte for byte, with headers for the reason.',
    contentType: 'application/octet-stream',
    headers: headersOf(deadLetterHeaders, { ...identity, traceparent }),
    bindings: {
      kafka: {
        key: { ...text, description: 'The key of the original message.' },
        bindingVersion: '0.5.0'
      }
    }
  }
}

/** Messages by topic role. */
export const asyncapiMessages = {
  decisions: {
    name: 'decision',
    title: 'An acknowledged decision',
    summary: 'The input and output of an agent, as the gateway accepted them.',
    description:
      '`input` and `metadata` are JSON text exactly as sent. The same decision may be ' +
      'delivered more than once: its identity is (organization_id, decision_id).',
    headers: headersOf(identity, { traceparent }),
    payload: payloadOf(decisionContract),
    correlationId: { location: '$message.header#/decision_id' },
    examples: [decisionExample],
    ...inWireFormat
  },
  evaluations: {
    name: 'evaluation',
    title: 'Ended runs of a decision',
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
  decisions_dead_letter: deadLetterMessageOf('decision'),
  evaluations_dead_letter: deadLetterMessageOf('evaluation')
}
