/** Inserts rows into the index of dead-letter records. */
import { createInsertRows } from '../../../platform/postgres/insert-rows.ts'
import type { Column } from '../../../platform/postgres/insert-rows.ts'
import type { IndexEntry } from './index-entry.ts'

/** Maximum number of bytes of a value in the index. The topic keeps the whole value. */
const valueBytesMax = 256 * 1024

const columns: readonly Column<IndexEntry>[] = [
  ['organization_id', 'uuid', ({ organization_id }) => organization_id],
  ['dead_letter_id', 'uuid', ({ dead_letter_id }) => dead_letter_id],
  ['decision_id', 'uuid', ({ decision_id }) => decision_id],
  ['agent_id', 'text', ({ agent_id }) => agent_id && storable(agent_id)],
  ['session_id', 'text', ({ session_id }) => session_id && storable(session_id)],
  [
    'received_at',
    'timestamptz',
    ({ isDecoded, received_at }) => (isDecoded ? new Date(received_at) : null)
  ],
  ['topic', 'text', ({ message }) => message.topic],
  ['partition', 'integer', ({ message }) => message.partition],
  ['letter_offset', 'bigint', ({ message }) => String(message.offset)],
  ['written_at', 'timestamptz', ({ message }) => new Date(message.timestamp)],
  ['group_id', 'text', ({ deadLetter }) => storable(deadLetter.group)],
  ['reason', 'text', ({ deadLetter }) => storable(deadLetter.reason)],
  ['step', 'text', ({ deadLetter }) => storable(deadLetter.step)],
  ['error', 'text', ({ deadLetter }) => storable(deadLetter.error)],
  ['origin_topic', 'text', ({ deadLetter }) => deadLetter.origin.topic],
  ['origin_partition', 'integer', ({ deadLetter }) => deadLetter.origin.partition],
  ['origin_offset', 'bigint', ({ deadLetter }) => String(deadLetter.origin.offset)],
  ['content_hash', 'bytea', ({ content_hash }) => content_hash],
  ['headers', 'text', ({ headers }) => headers],
  ['key', 'bytea', ({ message }) => message.key],
  ['value_bytes', 'integer', ({ value }) => value.length],
  ['value_start', 'bytea', ({ value }) => value.subarray(0, valueBytesMax)],
  ['decoded', 'text', ({ decoded }) => decoded]
]

/** Inserts entries. Existing entries stay unchanged. */
export const insertEntries = createInsertRows('dead_letters', columns, {
  tail: 'on conflict do nothing'
})

/** Postgres cannot store U+0000 in text, and any producer of the topic can write it to a header. */
function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd')
}
