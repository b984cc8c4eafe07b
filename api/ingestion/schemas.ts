/** Response schemas for the outcomes of ingestion and for rejected requests. */
import {
  integer,
  listOf,
  mapOf,
  objectOf,
  oneOf,
  orNull,
  text,
  timeWith
} from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { attempt } from '../onboarding/schemas.ts'
import { count, countOf, time } from '../response-schemas.ts'
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
