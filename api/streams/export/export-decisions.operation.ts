/** What a caller needs to know of `GET /v1/decisions/export`. */
import type { Operation } from '../../../http/route.ts'
import { textFilter } from '../../text-filter.ts'
import { decisionFilterSchema } from '../../decisions/list/query-schema.ts'
import { exportedMax } from './export-decisions.ts'
import { exportFields, fieldsExpression } from './export-fields.ts'

export const exportDecisionsOperation: Operation = {
  operation_id: 'exportDecisions',
  tag: 'decisions',
  summary: 'Export decisions',
  description:
    'Whole decisions, newest first, as lines of JSON or as CSV. `input`, `output` and `metadata` ' +
    'are the texts that were sent; lines of JSON leave out the space between their parts. ' +
    `At most ${exportedMax.toLocaleString('en')} rows: the trailer \`sluice-rows\` says how many ` +
    'there were, and `sluice-next-cursor`, when there are more, what to send as `cursor` for the ' +
    'rest. A connection that ends without the trailers was cut in the middle.',
  query: {
    ...decisionFilterSchema,
    properties: {
      format: {
        type: 'string',
        enum: ['ndjson', 'csv'],
        default: 'ndjson',
        description: '`ndjson`: a JSON object on each line. `csv`: RFC 4180, with a header.'
      },
      fields: {
        type: 'string',
        pattern: fieldsExpression,
        examples: [exportFields.join(',')],
        maxLength: 1000,
        description: `The members or columns, with commas, of: ${exportFields.join(', ')}.`
      },
      csv_safe: {
        type: 'boolean',
        default: true,
        description:
          'Puts an apostrophe before each text that a spreadsheet would run as a formula. ' +
          '`false` keeps texts exactly as they were sent.'
      },
      ...decisionFilterSchema.properties,
      cursor: textFilter('Where it goes on: the trailer of the export before.', 512)
    }
  },
  headers: {
    'Accept-Encoding': { description: 'With `gzip` the answer is compressed.', example: 'gzip' }
  },
  response: {
    200: {
      description: 'The rows.',
      content_type: 'application/x-ndjson',
      schema: { type: 'string' },
      example:
        '{"decision_id":"01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55","output":"Yes."}\n' +
        '{"decision_id":"01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a54","output":"No."}\n',
      headers: {
        'Content-Disposition': 'A name for the file.',
        Trailer: 'What the trailers are called.'
      }
    }
  },
  problems: [
    'session_required',
    'session_invalid',
    'role_missing',
    'invalid_query',
    'store_unavailable'
  ]
}
