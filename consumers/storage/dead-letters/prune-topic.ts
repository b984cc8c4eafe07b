/** Deletes index entries whose record the topic no longer keeps, or that an erasure covers. */
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
  const ranges = await reader.ranges(topic)
  const gone = await postgres.query(
    `delete from dead_letters where ctid = any (array(
       select d.ctid
         from dead_letters d
         join unnest($2::integer[], $3::bigint[], $4::bigint[]) as kept (partition, start, ends)
           on d.partition = kept.partition
        where d.topic = $1
          and (d.letter_offset < kept.start or d.letter_offset >= kept.ends)
        limit $5))
     returning 1`,
    [
      topic,
      ranges.map(({ partition }) => partition),
      ranges.map(({ from }) => String(from)),
      ranges.map(({ to }) => String(to)),
      rowsMax
    ]
  )
  const erased = await postgres.query(
    `delete from dead_letters where ctid = any (array(
       select d.ctid
         from erasures e
         join dead_letters d
           on d.organization_id = e.organization_id
          and coalesce(d.received_at, d.written_at) <= e.received_until
          and case e.scope when 'decision' then d.decision_id::text = e.subject
                           when 'session' then d.session_id = e.subject
                           when 'agent' then d.agent_id = e.subject
                           else true end
        where d.topic = $1
        limit $2))
     returning 1`,
    [topic, rowsMax]
  )
  return gone.length === rowsMax || erased.length === rowsMax
}
