/** Request and response schemas for scores, pushed scores and score summaries, with examples. */
import { uuidPattern } from '../../../core/ids/ids.ts'
import { valueMax } from '../../../evaluators/apply-score-definition.ts'
import { itemProblemSchema } from '../../../http/reply/problem-schema.ts'
import { allOptional, boolean, closed, exampleOf, integer, listOf } from '../../../http/schema.ts'
import { mapOf, number, objectOf, oneOf, orNull } from '../../../http/schema.ts'
import { schemaFor, text, timeWith, withDefault, withExample } from '../../../http/schema.ts'
import type { Static, TObject } from '../../../http/schema.ts'
import { lagMembers, listMeta, pageQuery, textFilter, timeParameters } from '../../page.ts'
import * as parts from '../../response-schemas.ts'
import { decisionId, subjectMembers } from '../schemas.ts'

export const nameCharsMax = 255
export const pushesMax = 500
export const rangeDaysMax = 92
export const hourlyDaysMax = 31
export const summaryLimits = Object.freeze({ rowsMax: 50_000, pointsMax: 5000 })
export const groupNames = [
  'name',
  'agent_id',
  'domain',
  'rule_id',
  'evaluator_id',
  'model'
] as const

const { count, countOf, noTime, originMembers, time, usuallyNull, uuid } = parts
const scoreName = text({ example: 'refund_policy' })

const namedFilters = allOptional({
  name: textFilter('Only scores with this name.', nameCharsMax),
  source: textFilter('Only scores of this source: evaluator, api, human or end_user.', 30)
})

/** Filters that apply to runs as well as to scores. */
const runFilters = allOptional({
  evaluator_id: textFilter('Only scores of this evaluator.', 100),
  version: integer({
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: 'Only scores of this version of the evaluator.'
  }),
  rule_id: textFilter('Only scores of this rule.', 100),
  agent_id: textFilter('Only scores of this agent.', 255),
  session_id: textFilter('Only scores of this session.', 1000),
  domain: textFilter('Only scores of this domain.', 100)
})

const scoreFilters = {
  name: namedFilters.name,
  ...allOptional({
    data_type: textFilter(
      'Only scores of this data type: numeric, boolean, categorical or text.',
      30
    ),
    passed: boolean({
      description: '`true`: only scores that passed. `false`: only scores that failed.'
    })
  }),
  source: namedFilters.source,
  ...runFilters,
  ...allOptional({
    value_min: number({ description: 'Only scores with at least this value.' }),
    value_max: number({ description: 'Only scores with at most this value.' })
  })
}
export type ScoreFilters = Static<TObject<typeof scoreFilters>>

export const scoreListQuery = {
  ...timeParameters('Evaluated'),
  ...scoreFilters,
  ...pageQuery('scores')
}

export const listedScore = objectOf({
  decision_id: uuid,
  name: scoreName,
  ...parts.storedScoreMembers,
  evaluator_kind: text({ example: 'llm_judge' }),
  ...subjectMembers
})
export type ListedScore = Static<typeof listedScore>

export const scorePage = objectOf({ data: listOf(listedScore), meta: listMeta })

export const decisionScoresQuery = {
  ...namedFilters,
  history: withDefault(
    boolean({ default: false, description: 'Include scores that a later score has replaced.' })
  )
}

export const decisionScores = objectOf({
  data: listOf(
    objectOf({
      decision_id: uuid,
      name: scoreName,
      ...parts.scoreMembers,
      superseded_by: usuallyNull(uuid, 'The run that repeats the run of this score.')
    })
  )
})

/**
 * Excludes U+0000, which Postgres rejects, and unpaired surrogates, which UTF-8 cannot represent.
 */
const pattern = '^[^\\u0000\\ud800-\\udfff]*$'

function orNullText(keywords: object) {
  return orNull(text({ pattern, ...keywords }))
}

const offset = orNull(integer({ minimum: 0 }))

const evidence = closed({
  path: text({ maxLength: 200 }),
  quote: orNull(text({ maxLength: 1000 })),
  start: offset,
  end: offset
})

export const pushedScore = closed({
  decision_id: decisionId,
  ...allOptional({
    id: orNull(
      text({
        pattern: uuidPattern,
        description: 'Makes retries safe: a score with the same id is stored once.',
        example: '01938c4f-0000-7000-8000-2f6d1c1b8a55'
      })
    ),
    evaluator_id: orNullText({
      maxLength: 100,
      description: 'The id of an evaluator of the kind `external`.'
    }),
    name: orNullText({
      minLength: 1,
      maxLength: nameCharsMax,
      description: 'The name of the score. Required without `evaluator_id`.',
      example: 'helpful'
    }),
    data_type: oneOf(['numeric', 'boolean', 'categorical', 'text', null]),
    value: schemaFor<number | boolean | null>({
      type: ['number', 'boolean', 'null'],
      minimum: -valueMax,
      maximum: valueMax,
      example: true
    }),
    label: orNullText({
      maxLength: 4000,
      description: 'The label of a categorical score, or the text of a text score.'
    }),
    passed: orNull(
      boolean({
        description: 'Whether the score passes, if the evaluator does not define it.',
        example: true
      })
    ),
    reason: orNullText({ maxLength: 4000, example: 'The customer said thanks.' }),
    confidence: orNull(number({ minimum: 0, maximum: 1 })),
    evidence: orNull(listOf(evidence, { maxItems: 20 })),
    source: oneOf(['end_user', null], { description: '`end_user` if an end user gave the score.' }),
    source_id: orNullText({ maxLength: 255, description: 'Your id of the end user.' })
  })
})
export type PushedScore = Static<typeof pushedScore>

export const pushRequest = closed({
  scores: listOf(schemaFor<unknown>({ example: exampleOf(pushedScore) }), {
    minItems: 1,
    maxItems: pushesMax,
    description:
      'The scores. An invalid score does not affect the others. Members of each: ' +
      `${Object.keys(pushedScore.properties).join(', ')}.`
  })
})

const accepted = objectOf({
  id: text({ format: 'uuid', example: exampleOf(pushedScore).id }),
  accepted: schemaFor<true>({ const: true }),
  duplicate: boolean({
    description: 'Whether a score with this id already existed; the existing score is kept.',
    example: false
  })
})

const refused = objectOf({
  id: uuid,
  accepted: schemaFor<false>({ const: false }),
  retryable: boolean(),
  problem: schemaFor<object>(itemProblemSchema)
})

export const pushResults = objectOf({
  results: listOf(
    schemaFor<Static<typeof accepted> | Static<typeof refused>>({
      anyOf: [accepted, refused],
      example: exampleOf(accepted)
    })
  )
})

export const summaryQuery = {
  ...timeParameters('Evaluated', `; maximum: ${rangeDaysMax} days before \`to\`.`),
  group_by: withDefault(
    text({
      maxLength: 100,
      default: 'name',
      description:
        `Comma-separated groups: ${groupNames.join(', ')}. ` +
        'Empty: a single group of all scores.'
    })
  ),
  interval: withDefault(
    oneOf(['auto', 'hour', 'day', 'none'], {
      type: 'string',
      default: 'auto',
      description: `Interval of the points, in UTC. Hours for at most ${hourlyDaysMax} days.`
    })
  ),
  ...namedFilters,
  ...runFilters
}

export type SummaryParameters = Static<TObject<typeof summaryQuery>>

type Interval = readonly [number, number] | null

function interval(description: string, example: Interval) {
  return schemaFor<Interval>({
    type: ['array', 'null'],
    items: { type: 'number' },
    description,
    example
  })
}

const point = objectOf({
  t: orNull(time, { description: 'Start of the interval, in UTC; null if `interval` is `none`.' }),
  n: countOf('Scores.', 200),
  mean: orNull(number({ example: 0.81 })),
  ci: interval('Lower and upper end of the 95 % confidence interval.', [0.78, 0.84]),
  n_judged: countOf('Number of scores that pass or fail.', 200),
  n_passed: withExample(count, 188),
  pass_rate: orNull(number({ description: '`n_passed` of `n_judged`.', example: 0.94 })),
  pass_rate_ci: interval('95 % confidence interval of the pass rate (Wilson).', [0.898, 0.965])
})
export type ScorePoint = Static<typeof point>

const key = mapOf(parts.textOrNull, {
  description: 'The value of each field in `group_by`.',
  example: { name: 'refund_policy' }
})
const { evaluator_id, evaluator, evaluator_version: version } = originMembers
const identity = { key, evaluator_id, evaluator }

const series = objectOf({
  ...identity,
  source: text({ example: 'evaluator' }),
  version,
  points: listOf(point)
})
export type ScoreSeries = Static<typeof series>

const scoreBreak = objectOf({
  at: time,
  ...identity,
  from_version: integer({ example: 2 }),
  to_version: version
})
export type ScoreBreak = Static<typeof scoreBreak>

const denominator = objectOf({
  key,
  ...parts.countsOf({ n_planned: 210, n_scored: 200, n_failed: 4, n_skipped: 3 }),
  ...parts.countsOf({ n_pending: 2, n_expired: 1, n_canceled: 0 })
})
export type Denominator = Static<typeof denominator>

export const summary = objectOf({
  series: listOf(series),
  breaks: listOf(scoreBreak),
  denominators: listOf(denominator),
  meta: objectOf({
    from: timeWith({ example: '2026-01-24T12:00:00.000Z' }),
    to: noTime,
    interval: oneOf(['hour', 'day', 'none'], { example: 'day' }),
    group_by: listOf(text({ example: 'name' })),
    cut: objectOf({
      scores_since: usuallyNull(
        time,
        'Older scores of the range were not scanned; null if all were.'
      ),
      runs_since: usuallyNull(time, 'Older runs of the range were not scanned; null if all were.'),
      groups: boolean({
        description: 'Whether groups with few scores are missing.',
        example: false
      })
    }),
    ...lagMembers
  })
})
