/** Response schemas for the outcomes of ingestion, rejected requests and the ledger. */
import { boolean, integer, listOf, mapOf, objectOf, oneOf, orNull } from '../../http/schema.ts'
import { text, timeWith } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { attempt } from '../onboarding/schemas.ts'
import { count, countOf, time, uuid } from '../response-schemas.ts'
import { intervals } from '../stats/time-buckets.ts'

const keyName = orNull(
  text({ description: 'Null if the organization has no such key.', example: 'support agents' })
)

const counts = {
  accepted: countOf('Decisions that Kafka acknowledged.', 1250),
  rejected: countOf('Rejected decisions; a batch that is rejected as a whole counts once.', 3),
  rejected_by_code: mapOf(count, {
    description: 'Rejected decisions by problem code.',
    example: { invalid_decision: 3 }
  }),
  dropped: mapOf(count, {
    description:
      'Decisions that SDKs reported as dropped before sending, by reason. In no other count.',
    example: { queue_full: 1 }
  })
}

export const outcomes = objectOf({
  outcomes: orNull(
    objectOf({
      since: timeWith({
        description: 'Start of the counts; older counts are not kept.',
        example: '2026-01-31T00:00:00.000Z'
      }),
      ...counts,
      keys: listOf(
        objectOf({
          key_id: orNull(
            text({
              description: 'Null for keys beyond the limit of counts per hour.',
              example: '6sWrWHwhtvmL'
            })
          ),
          key_name: keyName,
          ...counts
        }),
        { description: 'The keys with the most decisions.' }
      ),
      keys_total: countOf('Number of keys with counts, also of those that `keys` omits.'),
      points: listOf(objectOf({ t: time, ...counts }))
    }),
    { description: 'Null while Redis is unavailable.' }
  ),
  meta: objectOf({
    applied: objectOf({
      from: timeWith({ example: '2026-01-31T00:00:00.000Z' }),
      to: timeWith({ example: '2026-02-01T00:00:00.000Z' }),
      interval: oneOf(intervals),
      every: integer({ description: 'Number of hours or days per point.' }),
      tz: text({ example: 'UTC' })
    })
  })
})
export type IngestionOutcomes = Static<typeof outcomes>

export const rejections = objectOf({
  data: orNull(listOf(objectOf({ ...attempt.properties, key_name: keyName })), {
    description: 'Null while Redis is unavailable.'
  })
})

const outcomeCounts = {
  stored: countOf('Messages whose decision is stored.', 1250),
  duplicate: countOf('Messages that repeat a stored decision, for example after a retry.', 2),
  conflict: countOf('Messages whose id belongs to another decision.', 0),
  dead_lettered: countOf('Messages that became a dead-letter record for another reason.', 0),
  erased: countOf('Messages whose decision was deleted, or is older than the retention time.', 0),
  in_flight: countOf('Messages that storage had not consumed yet.', 3),
  missing: countOf('Messages with none of these outcomes: lost decisions.', 0)
}

export const ledgerCounts = objectOf(outcomeCounts)

export const partitionCounts = objectOf({
  partition: integer({ minimum: 0, example: 4 }),
  ...outcomeCounts
})

const missingReasons = ['not_stored', 'row_gone', 'conflict_not_reported'] as const

export const missingRecord = objectOf({
  partition: integer({ minimum: 0 }),
  offset: integer({ minimum: 0, description: 'The position of the message in its partition.' }),
  decision_id: uuid,
  reason: oneOf(missingReasons, {
    description:
      '`not_stored`: nothing of the decision is stored. `row_gone`: its row was deleted, but not ' +
      'by an erasure. `conflict_not_reported`: its id belongs to another decision, and no ' +
      'dead-letter record says so.'
  })
})

const gatewayCounts = objectOf({
  from: timeWith({ example: '2026-01-31T06:00:00.000Z' }),
  to: time,
  accepted: countOf('Decisions that gateways accepted in these hours.', 1200),
  messages: countOf('Messages on the topic from these hours.', 1202),
  difference: integer({
    description:
      '`messages` minus `accepted`. A small difference is normal: a killed gateway loses its ' +
      'last counts, a retry can write a decision twice, and the hours of both counts differ by ' +
      'seconds.',
    example: 2
  })
})

export const ledger = objectOf({
  ledger: orNull(
    objectOf({
      audited_at: timeWith({
        description: 'When the audit ended.',
        example: '2026-01-31T12:00:02.000Z'
      }),
      window: objectOf(
        { from: timeWith({ example: '2026-01-31T06:00:00.000Z' }), to: time },
        {
          description:
            'The audited window. It is the same for all organizations, and shorter than ' +
            'configured if the topic holds more than an audit may read.'
        }
      ),
      exact: boolean({
        description:
          'False if messages of the window could not be read, for example because Kafka deleted ' +
          'them, or if some duplicates may count as stored.'
      }),
      gateway: orNull(gatewayCounts, {
        description:
          'The counts of gateways in the whole hours of the window. Null if it has no whole ' +
          'hour, or while Redis is unavailable.'
      }),
      messages: countOf('Messages in the window: the sum of the following counts.', 1255),
      ...outcomeCounts,
      partitions: listOf(partitionCounts, {
        description: 'The same counts for each partition with messages of the organization.'
      }),
      missing_records: listOf(missingRecord, {
        description: 'The first 20 missing messages.',
        example: []
      })
    }),
    {
      description:
        'Null until storage has audited the topic, or if an audit found more organizations than ' +
        'it counts. Only the window and `exact` describe the installation; every count is of ' +
        'this organization alone.'
    }
  )
})
