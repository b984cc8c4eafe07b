/** Defines the JSON Schema of an error response for the OpenAPI document. */
import { problems } from '../../core/problem.ts'

const itemOmits = new Set(['retryable', 'request_id'])

export const problemSchema = {
  type: 'object',
  description: 'An error, RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'code', 'retryable', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong, where, and what to do.' },
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

/**
 * JSON Schema of an error in the results of a batch. Omits the members that are not repeated for
 * each item.
 */
export const itemProblemSchema = {
  ...problemSchema,
  description: 'The error of one item.',
  required: problemSchema.required.filter((name) => !itemOmits.has(name)),
  properties: Object.fromEntries(
    Object.entries(problemSchema.properties).filter(([name]) => !itemOmits.has(name))
  )
}
