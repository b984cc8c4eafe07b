/** The form of a refusal, as the OpenAPI document tells it. */
import { problems } from '../../core/problem.ts'

const itemOmits = new Set(['retryable', 'request_id'])

export const problemSchema = {
  type: 'object',
  description: 'A refusal, RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'code', 'retryable', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What, where, and what to do.' },
    code: { type: 'string', enum: Object.keys(problems) },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } }
      }
    }
  }
}

/** Inside the results of a batch: what the answer says once is not repeated. */
export const itemProblemSchema = {
  ...problemSchema,
  description: 'The refusal of one item.',
  required: problemSchema.required.filter((name) => !itemOmits.has(name)),
  properties: Object.fromEntries(
    Object.entries(problemSchema.properties).filter(([name]) => !itemOmits.has(name))
  )
}
