/** Request and response schemas for dead-letter records, with examples. */
import { deadLetterSteps } from '../../core/message-outcome.ts'
import { boolean, closed, integer, listOf, objectOf, oneOf, optional } from '../../http/schema.ts'
import { orNull, schemaFor, text, withExample } from '../../http/schema.ts'
import type { Static, TObject } from '../../http/schema.ts'
import { uuidPattern } from '../../core/ids/ids.ts'
import { listMeta, pageQuery, textFilter, timeParameters } from '../page.ts'
import { count, countOf, noTime, time, timeOrNull, uuid } from '../response-schemas.ts'
import { usuallyNull } from '../response-schemas.ts'

export const matchedMax = 1000
/** Maximum number of records that a request replays or drops. */
export const recordsMax = 100

/** Filters that the list, replays and drops share. */
const recordFilters = {
  reason: optional(textFilter('Only records with this reason.', 100)),
  step: optional(
    oneOf(deadLetterSteps, { type: 'string', description: 'Only records rejected by this step.' })
  ),
  agent_id: optional(textFilter('Only records of this agent.', 1000)),
  ...timeParameters('Dead-lettered')
}

const listFilters = {
  state: optional(
    oneOf(['open', 'replayed', 'dropped'], {
      type: 'string',
      description: 'Only records in this state.'
    })
  ),
  ...recordFilters
}
export type DeadLetterFilters = Static<TObject<typeof listFilters>>

export const listQuery = { ...listFilters, ...pageQuery('dead-letter records') }

export const deadLetterParams = {
  dead_letter_id: text({
    pattern: uuidPattern,
    description: 'The `dead_letter_id` of an entry of the list.'
  })
}

function positionOf(description: string, topic: string) {
  return objectOf(
    {
      topic: text({ example: topic }),
      partition: withExample(count, 3)
    },
    { description }
  )
}

export const deadLetterId = text({
  format: 'uuid',
  example: '0f3c2b1a-7d5e-5c4b-9a8f-6e7d8c9b0a1f'
})

const entryMembers = {
  dead_letter_id: deadLetterId,
  state: oneOf(['open', 'replayed', 'dropped'], {
    description:
      '`replayed`: written back to its topic. `dropped`: no longer needed. Operators change ' +
      'the state as well, with `sluice dlq`.'
  }),
  reason: text({
    description: 'Code of the reason why the message was not processed.',
    example: 'id_conflict'
  }),
  step: text({ description: 'The step that failed: `decode` or `store`.' }),
  error: text({
    description: 'What went wrong, without any content of the message.',
    example: 'another decision has this decision_id'
  }),
  kind: oneOf(['decision', 'evaluation'], {
    description: 'What the message is: a decision, or the result of its evaluation.'
  }),
  decision_id: uuid,
  agent_id: orNull(text({ example: 'refund-agent' }), {
    description: 'Null if the value cannot be decoded, or the decision has no agent.'
  }),
  attempts: countOf(
    'How often this consumer group has dead-lettered the message, up to this record: 1, and ' +
      'one more for each replay that failed.'
  ),
  failed_again_as: usuallyNull(
    text({ format: 'uuid' }),
    'The next dead-letter record of the same message, if its replay failed.'
  ),
  received_at: orNull(time, {
    description: 'When the gateway accepted the decision; null if the value cannot be decoded.'
  }),
  dead_lettered_at: time,
  consumer_group: text({
    description:
      'The consumer group that rejected the message. If two groups reject a message, each ' +
      'writes a record; a replay of either one replays the message once.',
    example: 'sluice-storage'
  }),
  origin: positionOf('Topic and partition of the original message.', 'agent-decisions'),
  record: positionOf('Topic and partition of the record.', 'agent-decisions.dead-letter'),
  value_bytes: countOf('Size of the value in bytes.', 812),
  requested_action: oneOf(['replay', 'drop', null], {
    description: 'A replay or drop that was requested and is not carried out yet.',
    example: null
  }),
  failure: usuallyNull(
    text(),
    'Why the last requested action failed: `record_deleted`, `kafka_unavailable` or ' +
      '`write_rejected`. The record is still open.'
  ),
  handled_at: noTime,
  handled_by: orNull(text(), {
    description: 'The id of the user, or the name of the operator, that replayed or dropped it.',
    example: null
  })
}

const entry = objectOf(entryMembers)
export type DeadLetterView = Static<typeof entry>

/** The number of matching records, as the list counts them. */
const matchedMembers = {
  matched: countOf(`Number of matching records, counted up to ${matchedMax}.`, 5),
  more_than_matched: boolean({
    description: 'Whether more records match than were counted.',
    example: false
  })
}

export const deadLetterPage = objectOf({
  data: listOf(entry),
  meta: objectOf({
    ...listMeta.properties,
    ...matchedMembers,
    applied: objectOf({ from: time, to: timeOrNull })
  })
})

const encodedMembers = {
  encoding: oneOf(['text', 'base64'], {
    description: '`text` if the bytes are UTF-8 without control characters.'
  }),
  content: text({ example: 'poison' })
}

export const deadLetter = objectOf({
  ...entryMembers,
  headers: listOf(objectOf({ name: text({ example: 'traceparent' }), value: text() }), {
    description: 'The headers of the original message.'
  }),
  key: orNull(objectOf(encodedMembers), { description: 'The key of the original message.' }),
  value: objectOf({
    ...encodedMembers,
    bytes: integer({ description: 'Size of the whole value.', example: 6 }),
    is_truncated: boolean({
      description: 'Whether `content` is only the start of the value.',
      example: false
    })
  }),
  decoded: schemaFor<unknown>({
    type: ['object', 'null'],
    description:
      'The decoded value. `input` and `metadata` of a decision are JSON text, exactly as sent. ' +
      'Null if the value cannot be decoded or is too large to show.',
    example: null
  })
})
export type DeadLetterDetail = Static<typeof deadLetter>

export const actionRequest = withExample(
  closed({
    dead_letter_ids: optional(
      listOf(text({ pattern: uuidPattern }), {
        minItems: 1,
        maxItems: recordsMax,
        description: 'The records. Send either this or `filter`.'
      })
    ),
    filter: optional(
      closed(recordFilters, {
        description: 'Selects open records, among the 20,000 oldest of the time range.'
      })
    ),
    dry_run: optional(
      boolean({ description: 'Returns which records would be affected, and changes nothing.' })
    )
  }),
  { filter: { reason: 'unknown_schema', from: '-24h' }, dry_run: true }
)
export type ActionRequest = Static<typeof actionRequest>

/** Outcomes of a record in a replay or drop. */
const outcomes = [
  'selected',
  'replayed',
  'dropped',
  'already_replayed',
  'already_dropped',
  'pending',
  'failed',
  'not_found'
] as const

const outcome = oneOf(outcomes, {
  description:
    '`selected`: the record would be affected; only in a dry run. `replayed`, `dropped`: done ' +
    'by this request. `already_replayed`, `already_dropped`: done before, or by another ' +
    'request. `pending`: requested and not carried out yet; get the record later. `failed`: ' +
    'see `reason`. `not_found`: no record with this id exists.'
})

export const actionResult = objectOf({
  dry_run: boolean(),
  ...matchedMembers,
  left: countOf('Matching records that this request does not affect; send it again for them.', 0),
  succeeded: countOf('Number of results that are `replayed` or `dropped`.', 0),
  unfinished: countOf('Number of results that are `pending`, `failed` or `not_found`.', 0),
  results: listOf(
    objectOf({
      dead_letter_id: deadLetterId,
      outcome,
      reason: usuallyNull(
        text(),
        'Why it failed: `record_deleted`, `kafka_unavailable`, `write_rejected`, `in_progress` ' +
          'if another request is handling the record, `would_fail_again` if its reason is ' +
          'permanent, or `too_many_pending` if 1,000 of your records wait.'
      )
    }),
    { description: 'One result per record, oldest record first.' }
  )
})
export type ActionResult = Static<typeof actionResult>
