/** What a caller needs to know of `POST /v1/evaluation/runs/replay`. */
import { uuidPattern } from '../../../core/ids/ids.ts'
import type { Operation } from '../../../http/route.ts'
import { count, objectOf } from '../../response-schemas.ts'
import { textFilter } from '../../text-filter.ts'
import { defaultRangeDays } from '../../time-range.ts'
import { bodyProblems } from '../principal-problems.ts'
import { matchedMax, replaysMax } from './replay-runs.ts'

const filter = {
  type: 'object',
  required: ['status'],
  properties: {
    status: {
      type: 'array',
      minItems: 1,
      maxItems: 4,
      items: { enum: ['failed', 'expired', 'skipped', 'canceled'] }
    },
    status_reason: textFilter('Only for this reason.', 100),
    rule_id: textFilter('Only of this rule.', 100),
    evaluator_id: textFilter('Only of this evaluator.', 100),
    decision_ids: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      items: { type: 'string', pattern: uuidPattern }
    },
    from: textFilter(
      'Ended at or after: RFC 3339 or -24h. Without it and without `decision_ids`: ' +
        `${defaultRangeDays} days before \`to\`.`,
      40
    ),
    to: textFilter('Ended before; RFC 3339, -24h or now. Without it: no end.', 40)
  },
  additionalProperties: false
}

export const replayRunsOperation: Operation = {
  operation_id: 'replayRuns',
  tag: 'evaluation',
  summary: 'Repeat runs that gave no score',
  description:
    `Opens a new run for each of the newest ${replaysMax} that match: the same evaluator in the ` +
    'same version, one generation later. The old run keeps what became of it and names its ' +
    'successor in `superseded_by`. A run is repeated once; whoever asks again repeats what is ' +
    '`left`. Takes the role member, or one that may do more.',
  body: {
    schema: {
      type: 'object',
      required: ['filter'],
      properties: {
        filter,
        dry_run: { type: 'boolean', description: 'Tells what it would do, and does nothing.' }
      },
      additionalProperties: false
    },
    example: {
      filter: { status: ['failed', 'expired'], status_reason: 'provider_error' },
      dry_run: true
    }
  },
  response: {
    202: {
      description: 'What is repeated, or would be.',
      schema: objectOf({
        dry_run: { type: 'boolean' },
        matched: { ...count, description: `Counted up to ${matchedMax}.` },
        more_than_matched: { type: 'boolean', description: 'Whether counting ended there.' },
        planned: count,
        left: { ...count, description: 'Those of `matched` that another call would repeat.' },
        est_usd: {
          type: ['number', 'null'],
          description:
            'What they may cost, in US dollars, by what calls of each judge cost in the last 30 ' +
            'days; null when that is not known.'
        }
      }),
      example: {
        ...{ dry_run: true, matched: 1200, more_than_matched: false },
        ...{ planned: 1000, left: 200, est_usd: 0.31 }
      }
    }
  },
  problems: [
    'session_required',
    'session_invalid',
    'role_missing',
    ...bodyProblems,
    'store_unavailable'
  ]
}
