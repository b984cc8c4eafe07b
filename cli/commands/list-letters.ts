/** `sluice dlq list`: which kinds of dead letters there are. */
import type { Environment } from '../../platform/config/config.ts'
import { isoTime, shortTime } from '../iso-time.ts'
import { layOut } from '../../core/lay-out.ts'
import { letterTopicOf } from '../letters/dead-letter-topics.ts'
import type { LetterTopicName } from '../letters/dead-letter-topics.ts'
import { readLetterConfig } from '../letters/letter-config.ts'
import { createLetterGroups } from '../letters/letter-groups.ts'
import type { LetterGroup } from '../letters/letter-groups.ts'
import { isWanted, readLetters } from '../letters/read-letters.ts'
import type { LetterFilter, LetterRecord } from '../letters/read-letters.ts'
import { plainText } from '../plain-text.ts'
import { withLog } from '../with-log.ts'
import { withPostgres } from '../with-postgres.ts'

export interface ListLettersOptions extends LetterFilter {
  /** Both without it. */
  readonly topic?: LetterTopicName
  /** Those as well that were replayed or dropped. */
  readonly all?: boolean
  readonly json?: boolean
}

const head = [
  ...['reason', 'step', 'group', 'from', 'state', 'letters'],
  ...['first', 'last', 'example']
]

export async function listLetters(
  environment: Environment,
  options: ListLettersOptions,
  write: (line: string) => void
): Promise<void> {
  const config = readLetterConfig(environment)
  const names = options.topic === undefined ? topicNames : [options.topic]
  const groups = createLetterGroups()
  await withLog(config, (reader) =>
    withPostgres(config, async (postgres) => {
      for (const { topic } of names.map((name) => letterTopicOf(config, name))) {
        const source = { reader, postgres, topic, signal: new AbortController().signal }
        for await (const records of readLetters(source, options)) {
          groups.add(records.filter((record) => isShown(record, options)))
        }
      }
    })
  )
  const found = groups.all()
  if (options.json === true) return write(JSON.stringify(found.map(jsonOf)))
  const those = options.all === true ? 'dead letters' : 'open dead letters'
  if (found.length === 0) return write(`There are no ${those}.`)
  for (const line of layOut([head, ...found.map(cellsOf)])) write(line)
}

const topicNames: readonly LetterTopicName[] = ['decisions', 'evaluations']

function isShown(record: LetterRecord, options: ListLettersOptions): boolean {
  return (options.all === true || record.state === 'open') && isWanted(record, options)
}

function jsonOf({ firstAt, lastAt, origin, ...group }: LetterGroup) {
  const times = { first_at: isoTime(firstAt), last_at: isoTime(lastAt) }
  return { ...group, origin_topic: origin, ...times }
}

function cellsOf(group: LetterGroup): string[] {
  const { reason, step, origin, state, letters, firstAt, lastAt, example } = group
  return [
    ...[
      plainText(reason),
      plainText(step),
      plainText(group.group),
      plainText(origin),
      state,
      `${letters}`
    ],
    ...[shortTime(firstAt), shortTime(lastAt), `${example.partition}/${example.offset}`]
  ]
}
