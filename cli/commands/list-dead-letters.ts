/** `sluice dlq list`: groups dead-letter records and counts them. */
import type { Environment } from '../../platform/config/config.ts'
import { isoTime, shortTime } from '../iso-time.ts'
import { formatTable } from '../../core/format-table.ts'
import { deadLetterTopicOfName } from '../dead-letters/dead-letter-topics.ts'
import type { DeadLetterTopicName } from '../dead-letters/dead-letter-topics.ts'
import { readDeadLetterConfig } from '../dead-letters/dead-letter-config.ts'
import { createDeadLetterGroups } from '../dead-letters/dead-letter-groups.ts'
import type { DeadLetterGroup } from '../dead-letters/dead-letter-groups.ts'
import { isWanted, readDeadLetters } from '../dead-letters/read-dead-letters.ts'
import type { DeadLetterFilter, DeadLetterRecord } from '../dead-letters/read-dead-letters.ts'
import { plainText } from '../plain-text.ts'
import { withTopicReader } from '../with-topic-reader.ts'
import { withPostgres } from '../with-postgres.ts'

export interface ListDeadLettersOptions extends DeadLetterFilter {
  /** If undefined, the records of both dead-letter topics are listed. */
  readonly topic?: DeadLetterTopicName
  /** Whether to include records that were replayed or dropped. */
  readonly all?: boolean
  readonly json?: boolean
}

const head = ['reason', 'step', 'group', 'from', 'state', 'count', 'first', 'last', 'example']

export async function listDeadLetters(
  environment: Environment,
  options: ListDeadLettersOptions,
  write: (line: string) => void
): Promise<void> {
  const config = readDeadLetterConfig(environment)
  const names = options.topic === undefined ? topicNames : [options.topic]
  const groups = createDeadLetterGroups()
  await withTopicReader(config, (reader) =>
    withPostgres(config, async (postgres) => {
      for (const { topic } of names.map((name) => deadLetterTopicOfName(config, name))) {
        const source = { reader, postgres, topic, signal: new AbortController().signal }
        for await (const records of readDeadLetters(source, options)) {
          groups.add(records.filter((record) => isShown(record, options)))
        }
      }
    })
  )
  const found = groups.all()
  if (options.json === true) return write(JSON.stringify(found.map(jsonOf)))
  const noun = options.all === true ? 'dead-letter records' : 'open dead-letter records'
  if (found.length === 0) return write(`There are no ${noun}.`)
  for (const line of formatTable([head, ...found.map(cellsOf)])) write(line)
}

const topicNames: readonly DeadLetterTopicName[] = ['decisions', 'evaluations']

function isShown(record: DeadLetterRecord, options: ListDeadLettersOptions): boolean {
  return (options.all === true || record.state === 'open') && isWanted(record, options)
}

function jsonOf({ firstAt, lastAt, origin, ...group }: DeadLetterGroup) {
  const times = { first_at: isoTime(firstAt), last_at: isoTime(lastAt) }
  return { ...group, origin_topic: origin, ...times }
}

function cellsOf(group: DeadLetterGroup): string[] {
  const { reason, step, origin, state, count, firstAt, lastAt, example } = group
  return [
    plainText(reason),
    plainText(step),
    plainText(group.group),
    plainText(origin),
    state,
    String(count),
    shortTime(firstAt),
    shortTime(lastAt),
    `${example.partition}/${example.offset}`
  ]
}
