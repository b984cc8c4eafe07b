/** Converts rows of the dead-letter index to the form that the API returns. */
import { isUtf8 } from 'node:buffer'
import { deadLetterTopicOf } from '../../schemas/index.ts'
import type { IndexedDeadLetter, findRecord } from './queries.ts'
import type { DeadLetterDetail, DeadLetterView } from './schemas.ts'

type ContentRow = NonNullable<Awaited<ReturnType<typeof findRecord>>>

/** @param decisionsTopic the topic whose dead-letter records are decisions */
export function entryViewOf(row: IndexedDeadLetter, decisionsTopic: string): DeadLetterView {
  const { dead_letter_id, state, reason, step, error, decision_id, agent_id, attempts } = row
  const { failed_again_as, received_at, value_bytes, requested_action, failure } = row
  const { handled_at, handled_by, topic, partition } = row
  return {
    dead_letter_id,
    state,
    reason,
    step,
    error,
    kind: topic === deadLetterTopicOf(decisionsTopic) ? 'decision' : 'evaluation',
    decision_id,
    agent_id,
    attempts,
    failed_again_as,
    received_at,
    dead_lettered_at: row.written_at,
    consumer_group: row.group_id,
    // Omits offsets: two of them would reveal how many messages all organizations sent in between.
    origin: { topic: row.origin_topic, partition: row.origin_partition },
    record: { topic, partition },
    value_bytes,
    requested_action,
    failure,
    handled_at,
    handled_by
  }
}

export function detailViewOf(row: ContentRow, decisionsTopic: string): DeadLetterDetail {
  const { headers, key, value_start: start, value_bytes: bytes, decoded } = row
  const pairs = JSON.parse(headers) as [name: string, value: string][]
  return {
    ...entryViewOf(row, decisionsTopic),
    headers: pairs.map(([name, value]) => ({ name, value })),
    key: key === null ? null : encodingOf(key),
    value: { ...encodingOf(start), bytes, is_truncated: start.length < bytes },
    decoded: decoded === null ? null : (JSON.parse(decoded) as unknown)
  }
}

const controlExpression = /[^\P{Cc}\t\n\r]/u
/** Maximum number of bytes that remain of a character after truncation. */
const cutBytesMax = 3

/** Encodes bytes as text if they are readable, otherwise as base64. */
function encodingOf(bytes: Buffer): { encoding: 'text' | 'base64'; content: string } {
  const end = wholeCharactersEnd(bytes)
  const content = end === null ? null : bytes.toString('utf8', 0, end)
  return content === null || controlExpression.test(content)
    ? { encoding: 'base64', content: bytes.toString('base64') }
    : { encoding: 'text', content }
}

/** Returns the end of the last whole character, or null if the bytes are not UTF-8. */
function wholeCharactersEnd(bytes: Buffer): number | null {
  for (let cut = 0; cut <= Math.min(cutBytesMax, bytes.length); cut++) {
    if (isUtf8(bytes.subarray(0, bytes.length - cut))) return bytes.length - cut
  }
  return null
}
