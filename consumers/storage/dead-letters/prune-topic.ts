/** Deletes index entries whose record the topic no longer keeps, or that an erasure covers. */
import type { ErasureScope } from '../../../core/decision/erasure.ts'
import type { TopicReader } from '../../../platform/kafka/topic-reader.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'

interface PruneTopicOptions {
  readonly reader: TopicReader
  readonly postgres: Postgres
  /** Name of the dead-letter topic. */
  readonly topic: string
}

/** Maximum number of rows to delete per statement. */
const rowsMax = 1000

/** @returns whether there is more to delete */
export async function pruneTopic({ reader, postgres, topic }: PruneTopicOptions) {
  // Reads the time before the ranges, because an entry that is indexed later can be past their
  // ends.
  const [clock] = await postgres.query<{ time: string }>('select now()::text as time')
  const ranges = await reader.ranges(topic)
  const gone = await postgres.query(
    `delete from dead_letters where ctid = any (array(
       select d.ctid
         from dead_letters d
         join unnest($2::integer[], $3::bigint[], $4::bigint[]) as kept (partition, start, ends)
           on d.partition = kept.partition
        where d.topic = $1
          and (d.letter_offset < kept.start or d.letter_offset >= kept.ends)
          and d.indexed_at < $6
        limit $5))
     returning 1`,
    [
      topic,
      ranges.map(({ partition }) => partition),
      ranges.map(({ from }) => String(from)),
      ranges.map(({ to }) => String(to)),
      rowsMax,
      clock?.time
    ]
  )
  let isUnfinished = gone.length === rowsMax
  for (const scope of ['decision', 'session', 'agent', 'organization'] as const) {
    isUnfinished = (await deleteErased(postgres, topic, scope)) || isUnfinished
  }
  return isUnfinished
}

/** Conditions on a record `d` and an erasure `e` of the same organization, by scope. */
const conditions: Readonly<Record<ErasureScope, string>> = {
  decision: 'd.decision_id::text = e.subject',
  session: 'd.session_id = e.subject',
  agent: 'd.agent_id = e.subject',
  organization: 'e.subject is null'
}

/** @returns whether there is more to delete */
async function deleteErased(postgres: Postgres, topic: string, scope: ErasureScope) {
  return postgres.transaction(async (transaction) => {
    // A nested loop would compare each record with each erasure of its organization. With 20,000
    // of each in one organization, the statement timed out, and nothing was deleted for any
    // organization.
    await transaction.query('set local enable_nestloop = off')
    const erased = await transaction.query(
      `delete from dead_letters where ctid = any (array(
         select d.ctid
           from (select organization_id, subject, max(received_until) as received_until
                   from erasures
                  where scope = $2
                  group by organization_id, subject) as e
           join dead_letters d
             on d.organization_id = e.organization_id
            and ${conditions[scope]}
            and coalesce(d.received_at, d.written_at) <= e.received_until
          where d.topic = $1
          limit $3))
       returning 1`,
      [topic, scope, rowsMax]
    )
    return erased.length === rowsMax
  })
}
