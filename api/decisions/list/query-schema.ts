/** The parameters of lists of decisions: as a query string has them, and as a body has them. */
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import { plainText } from '../../configuration/operation-parts.ts'
import { pageParameters } from '../../page-parameters.ts'
import { nameCharsMax } from '../../results/scores/score-filters.ts'
import { textFilter } from '../../text-filter.ts'
import { defaultRangeDays } from '../../time-range.ts'
import { countedMax } from './count-decisions.ts'
import { inclusions, measures } from './decision-query.ts'
import { otherCharactersMax, payloadBytesMax, payloadsMax } from './payload-limits.ts'
import { scoreOperators } from './score-condition.ts'
import { searchCharsMax, wordsMax } from './search-words.ts'
import { sortDefault, sortDescription } from './sort-order.ts'

export const domainsMax = 20
export const scoresMax = 10
export const labelsMax = 5
const statuses = ['pending', 'evaluating', 'evaluated', 'partial', 'failed', 'not_evaluated']
const verdicts = ['pass', 'fail', 'mixed', 'none']
const tokensMax = Number.MAX_SAFE_INTEGER

function listOf(items: JsonSchema, maxItems: number, description: string): JsonSchema {
  return { type: 'array', items, minItems: 1, maxItems, description }
}

function boundsOf(name: (typeof measures)[number]): [string, JsonSchema][] {
  const type = name.endsWith('tokens') ? 'integer' : 'number'
  const bounds = { type, minimum: 0, maximum: tokensMax }
  return [
    [`min_${name}`, { ...bounds, description: `With ${name} of at least this.` }],
    [`max_${name}`, { ...bounds, description: `With ${name} of at most this.` }]
  ]
}

export const rangeParameters: Readonly<Record<string, JsonSchema>> = {
  from: textFilter(
    `Received at or after: RFC 3339 or -24h. Without it: ${defaultRangeDays} days before \`to\`.`,
    40
  ),
  to: textFilter('Received before: RFC 3339 or -1h. Without it: no end.', 40)
}

const filterParameters: Readonly<Record<string, JsonSchema>> = {
  agent_id: textFilter('Only of this agent; `_unattributed` are those that name none.', 255),
  session_id: textFilter('Only of this session.', 1000),
  domain: listOf(
    { type: 'string', minLength: 1, maxLength: 100, pattern: plainText },
    domainsMax,
    'Only of one of these domains.'
  ),
  status: listOf({ enum: statuses }, statuses.length, 'Only with one of these states.'),
  verdict: listOf({ enum: verdicts }, verdicts.length, 'Only with one of these verdicts.'),
  model: textFilter('Only where `metadata.model` is this.', 100),
  agent_version: textFilter('Only where `metadata.agent_version` is this.', 100),
  sdk_version: textFilter('Only of this SDK.', 100),
  ...Object.fromEntries(measures.flatMap(boundsOf)),
  is_error: { type: 'boolean', description: 'Only with, or without, `metadata.error`.' },
  q: textFilter(
    `Only where each of these words, at most ${wordsMax}, occurs in input, output or metadata, ` +
      'in whatever case.',
    searchCharsMax
  )
}

const shapeParameters: Readonly<Record<string, JsonSchema>> = {
  sort: {
    type: 'string',
    maxLength: nameCharsMax + 10,
    pattern: plainText,
    default: sortDefault,
    description: sortDescription
  },
  include: listOf(
    { enum: inclusions },
    inclusions.length,
    `Whole texts, or scores, as well; texts of at most ${payloadsMax} decisions and some ` +
      `${payloadBytesMax / 2 ** 20} MiB a page, and some ${otherCharactersMax / 2 ** 20} Mi ` +
      'characters of scores.'
  ),
  count: {
    enum: ['exact', 'estimate'],
    description:
      `Tells in \`meta.count\` how many there are: counted, up to ${countedMax}, or from the ` +
      'sums by hour.'
  },
  ...pageParameters('Decisions on a page, at most.')
}

/** Which decisions: of a query string. */
export const decisionFilterSchema = {
  type: 'object',
  properties: {
    ...rangeParameters,
    ...filterParameters,
    score: listOf(
      { type: 'string', minLength: 1, maxLength: nameCharsMax + 100, pattern: plainText },
      scoresMax,
      'A score as `name:op:value`; op is eq, ne, lt, le, gt or ge, or without a value ' +
        'passed, failed or exists. All of them must hold.'
    )
  } as Readonly<Record<string, JsonSchema>>,
  patternProperties: {
    '^metadata\\..{1,100}$': { type: 'string', maxLength: 200, pattern: plainText }
  },
  additionalProperties: false
}

export const decisionQuerySchema: JsonSchema = {
  ...decisionFilterSchema,
  properties: { ...decisionFilterSchema.properties, ...shapeParameters }
}

export const decisionSearchSchema: JsonSchema = {
  type: 'object',
  properties: {
    ...rangeParameters,
    ...Object.fromEntries(
      Object.entries(filterParameters).map(([name, schema]) => [name, withPlainText(schema)])
    ),
    score: listOf(
      {
        type: 'object',
        required: ['name', 'op'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: nameCharsMax, pattern: plainText },
          op: { enum: scoreOperators },
          value: { type: ['number', 'string', 'boolean', 'null'], pattern: plainText }
        },
        additionalProperties: false
      },
      scoresMax,
      'All of them must hold.'
    ),
    metadata: {
      type: 'object',
      maxProperties: labelsMax,
      propertyNames: { type: 'string', minLength: 1, maxLength: 100, pattern: plainText },
      additionalProperties: { type: 'string', maxLength: 200, pattern: plainText },
      description: 'Members of metadata that are these; numbers as they were written.'
    },
    ...shapeParameters
  },
  additionalProperties: false
}

/** A body may hold half of a surrogate pair, which the store does not take. */
function withPlainText(schema: JsonSchema): JsonSchema {
  return schema['type'] === 'string' ? { ...schema, pattern: plainText } : schema
}
