/** Request and response schemas for evaluations, their runs, statuses and health, with examples. */
import { evaluatorKinds } from '../../core/evaluation/evaluator-definition.ts'
import { uuidPattern } from '../../core/ids/ids.ts'
import { allOptional, boolean, closed, exampleOf, integer, listOf } from '../../http/schema.ts'
import { mapOf, number, objectOf, oneOf, optional, orNull, schemaFor } from '../../http/schema.ts'
import { text, timeWith, withExample } from '../../http/schema.ts'
import type { Static, TObject } from '../../http/schema.ts'
import { lagMembers, listMeta, pageQuery, textFilter, timeParameters } from '../page.ts'
import * as parts from '../response-schemas.ts'

const { count, countOf, countsOf, noText, noTime, originMembers, time, uuid } = parts
const { timeOrNull, usuallyNull } = parts

export const replaysMax = 1000
export const attemptsMax = 100
export const matchedMax = 10_000
export const openStatuses = ['scheduled', 'running', 'retrying', 'blocked'] as const
export const endedStatuses = ['succeeded', 'failed', 'skipped', 'expired', 'canceled'] as const

export const decisionId = text({ pattern: uuidPattern, example: exampleOf(uuid) })

const planEntry = objectOf({
  ...originMembers,
  rule: parts.ruleName,
  run_id: orNull(originMembers.run_id),
  evaluator: orNull(originMembers.evaluator, {
    description: 'Null for a rule that planned nothing.'
  }),
  evaluator_version: orNull(originMembers.evaluator_version),
  outcome: text({
    description:
      'For a rule, `not_matched` or `skipped`. For an evaluator, the status of its run: ' +
      '`scheduled`, `running`, `retrying`, `blocked`, `succeeded`, `failed`, `skipped`, ' +
      '`expired` or `canceled`. New values may be added.',
    example: 'succeeded'
  }),
  reason: noText
})
export type PlanEntry = Static<typeof planEntry>

/** Run members shared by evaluations and run lists. */
export const runMembers = {
  ...originMembers,
  rule: parts.ruleName,
  evaluator_kind: text({ example: 'llm_judge' }),
  generation: integer({ description: 'Greater than 0 for a replay.', example: 0 }),
  replay_of: usuallyNull(uuid, 'The id of the run that this run repeats.'),
  superseded_by: usuallyNull(uuid, 'The id of the run that repeats this run.'),
  status: text({ example: 'succeeded' }),
  status_reason: noText,
  attempts: count,
  duration_us: orNull(integer({ example: 655_000 })),
  scheduled_at: timeOrNull,
  started_at: timeOrNull,
  next_attempt_at: noTime,
  evaluated_at: orNull(time, { description: 'Null until the run has ended.' })
}

export const run = objectOf({
  ...runMembers,
  scores: listOf(text({ example: 'refund_policy' }), {
    description: 'Names of the scores of the run.'
  })
})
export type RunView = Static<typeof run>

export const evaluation = objectOf({
  decision_id: uuid,
  status: parts.evaluationStatus,
  reason: usuallyNull(text(), 'Why scores are missing; null if none are missing.'),
  verdict: parts.verdict,
  progress: parts.progress,
  plan: listOf(planEntry),
  runs: listOf(run, { description: 'All runs, including those that a replay has superseded.' }),
  scores: parts.scores,
  updated_at: time
})

export const decisionIds = closed({
  decision_ids: listOf(decisionId, { minItems: 1, maxItems: 200 })
})

const unknownStatus = objectOf({
  status: schemaFor<'unknown'>({ const: 'unknown' }),
  retryable: boolean({
    description:
      'Whether storage has not caught up with this request, so that a retry may find the decision.',
    example: false
  })
})

const shownScore = objectOf({
  value: schemaFor<number | string | null>({ type: ['number', 'string', 'null'] }),
  passed: orNull(boolean()),
  source: text({ example: 'evaluator' })
})

const knownStatus = objectOf({
  status: parts.evaluationStatus,
  reason: noText,
  verdict: parts.verdict,
  progress: parts.progress,
  scores: mapOf(shownScore, {
    description: 'The score that counts for each name.',
    example: { refund_policy: exampleOf(shownScore) }
  })
})
export type DecisionStatus = Static<typeof unknownStatus> | Static<typeof knownStatus>

export const statuses = mapOf(schemaFor<DecisionStatus>({ anyOf: [unknownStatus, knownStatus] }), {
  example: {
    [exampleOf(uuid)]: exampleOf(knownStatus),
    '01938c4e-5b7a-7c3e-9f00-000000000000': exampleOf(unknownStatus)
  }
})

export const health = objectOf({
  ...lagMembers,
  backlog: countOf('Pending runs that have not ended.', 3),
  oldest_pending_s: orNull(
    integer({ description: 'Seconds since the oldest of these runs was scheduled.', example: 12 })
  ),
  by_status: objectOf({
    ...countsOf({ scheduled: 1, running: 2, retrying: 0, blocked: 0 }),
    finished: countOf('Ended, but the result is not stored yet.')
  }),
  deferred: countOf('Decisions whose evaluation is deferred.', 0),
  circuits: listOf(
    objectOf({
      connection_id: text({ example: 'con_01938c4e5b7a7c3e9f002f6d1c1b8a55' }),
      connection: text({ example: 'judges' }),
      state: oneOf(['closed', 'open', 'half_open']),
      reason: noText,
      since: noTime
    })
  ),
  spend_today: objectOf({
    calls: withExample(count, 210),
    unpriced_calls: countOf('Calls without a known price.', 0),
    usd: number({ description: 'US dollars of priced calls today, in UTC.', example: 0.065 })
  }),
  conservation: objectOf({
    from: timeWith({ example: '2026-01-30T12:00:00.000Z' }),
    to: time,
    planned: countOf('Runs planned between `from` and `to`.', 1610),
    accounted: objectOf(
      countsOf({ succeeded: 1400, failed: 2, skipped: 203, expired: 0, canceled: 0, open: 4 })
    ),
    in_flight: countOf(
      'Not accounted for, because deferred or newer than what storage has stored.'
    ),
    difference: countOf('Not accounted for and not in flight. 0, unless runs are lost.', 0),
    replays: countOf('Not included in `planned`; neither is `pushed`.', 2),
    pushed: count
  })
})
export type Health = Static<typeof health>

export const runParams = {
  run_id: text({
    pattern: uuidPattern,
    description: 'The `run_id` from an evaluation or a list of runs.'
  })
}

const runFilters = allOptional({
  status_reason: textFilter('Only runs with this status reason.', 100),
  rule_id: textFilter('Only runs of this rule.', 100),
  evaluator_id: textFilter('Only runs of this evaluator.', 100)
})

const listFilters = {
  status: optional(
    oneOf([...openStatuses, ...endedStatuses], {
      type: 'string',
      description: 'Only runs with this status.'
    })
  ),
  ...runFilters,
  kind: optional(
    oneOf([...evaluatorKinds, 'human'], {
      type: 'string',
      description: 'Only runs of evaluators of this kind.'
    })
  )
}
export type RunFilters = Static<TObject<typeof listFilters>>

export const runListQuery = {
  ...timeParameters('Evaluated'),
  ...listFilters,
  ...pageQuery('runs')
}

/** The fields of a decision that its runs and scores repeat. */
export const subjectMembers = {
  agent_id: orNull(text({ example: 'refund-agent' })),
  session_id: orNull(text({ example: 'ticket-8812' })),
  domain: orNull(text({ example: 'refunds' }))
}

/** Members that describe a call to a provider. */
const callMembers = {
  http_status: orNull(integer({ example: 200 })),
  error: usuallyNull(text(), 'What went wrong, without any content of the decision.'),
  model: orNull(text({ example: 'small-1' })),
  model_reported: orNull(text({ example: 'small-1-2026-01' })),
  input_tokens: orNull(integer({ example: 812 })),
  output_tokens: orNull(integer({ example: 61 })),
  usd: orNull(
    number({ description: 'US dollars; null if the price is unknown.', example: 0.00031 })
  ),
  latency_ms: orNull(integer({ example: 640 }))
}

const listedRunMembers = {
  decision_id: uuid,
  ...runMembers,
  expires_at: noTime,
  cancel_requested_at: noTime,
  ...callMembers,
  provider: noText,
  ...subjectMembers
}

const listedRun = objectOf(listedRunMembers)
export type ListedRun = Static<typeof listedRun>

export const runPage = objectOf({ data: listOf(listedRun), meta: listMeta })

export const canceledRun = withExample(listedRun, {
  ...exampleOf(listedRun),
  status: 'retrying',
  status_reason: 'provider_error',
  evaluated_at: null,
  usd: null,
  cancel_requested_at: '2026-01-31T12:00:02.000Z'
})

const attempt = objectOf({
  attempt: count,
  counted: boolean({
    description:
      'False for an attempt that only waited for a provider; it does not count towards the ' +
      'limit.'
  }),
  started_at: time,
  finished_at: timeOrNull,
  outcome: orNull(text({ example: 'scored' })),
  status_reason: noText,
  ...callMembers,
  reply: usuallyNull(text(), 'The reply of the judge; only for admins and owners.')
})
export type RunAttempt = Static<typeof attempt>

export const runWithAttempts = objectOf({
  ...listedRunMembers,
  attempts_made: countOf('Number of attempts that count towards the limit.'),
  attempts: listOf(attempt, { description: `The newest ${attemptsMax} calls, oldest first.` }),
  prompt: usuallyNull(
    listOf(schemaFor<object>({ type: 'object' })),
    'The prompt sent to the judge for this decision; only for admins and owners.'
  )
})

const replayFilter = closed({
  status: listOf(oneOf(['failed', 'expired', 'skipped', 'canceled']), { minItems: 1, maxItems: 4 }),
  ...runFilters,
  decision_ids: optional(listOf(text({ pattern: uuidPattern }), { minItems: 1, maxItems: 1000 })),
  ...timeParameters('Ended', '; no limit if `decision_ids` is sent without `to`.')
})
export type ReplayBody = Static<typeof replayFilter>

export const replayRequest = closed({
  filter: withExample(replayFilter, {
    status: ['failed', 'expired'],
    status_reason: 'provider_error'
  }),
  dry_run: optional(
    boolean({ description: 'Returns what would be replayed, and replays nothing.', example: true })
  )
})

export const replayResult = objectOf({
  dry_run: boolean(),
  matched: countOf(`Number of matching runs, counted up to ${matchedMax}.`, 1200),
  more_than_matched: boolean({
    description: 'Whether more runs match than were counted.',
    example: false
  }),
  planned: withExample(count, 1000),
  left: countOf(
    'Matching runs that are not replayed now; send the request again to replay them.',
    200
  ),
  est_usd: orNull(
    number({
      description:
        "Estimated cost in US dollars, from the average cost of each judge's calls in " +
        'the last 30 days. Null if unknown.',
      example: 0.31
    })
  )
})
