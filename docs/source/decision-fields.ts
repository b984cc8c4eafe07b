/** Describes each field of a decision for docs/reference/api.md. */
import schema from '../../schemas/decision.body.schema.json' with { type: 'json' }

export const decisionFields: Readonly<Record<keyof typeof schema.properties, string>> = {
  input:
    'The input of the agent. It is stored exactly, with every digit and in the same order of keys.',
  output: 'The answer of the agent.',
  decision_id:
    'The id of the decision, in lower case in responses. Decisions with the same id are ' +
    'stored once. The gateway creates an id if you send none.',
  agent_id:
    'The agent. It is the key of the Kafka record, so the decisions of one agent share a ' +
    'partition. An empty string counts as absent.',
  session_id:
    'Groups decisions, for example by conversation or ticket. It is the key of the record ' +
    'if there is no `agent_id`.',
  domain: 'The subject area, such as `refunds`. Evaluation rules can match it.',
  metadata:
    'Any other data, kept exactly as sent. [Some ' +
    'fields](../guides/agents-and-statistics.md#metadata-that-profiles-read) appear in ' +
    'profiles.',
  input_tokens: 'Number of tokens that the agent read.',
  output_tokens: 'Number of tokens that the agent wrote.',
  sdk_version: 'The name and version of the client. The SDKs set it.'
}
