/** `sluice dlq drop`: marks dead-letter records as dropped. */
import type { Environment } from '../../platform/config/config.ts'
import { deadLetterTopicOfName } from '../dead-letters/dead-letter-topics.ts'
import { readDeadLetterConfig } from '../dead-letters/dead-letter-config.ts'
import { insertMarks } from '../../store/dead-letter-marks.ts'
import type { RecordPosition } from '../../store/dead-letter-marks.ts'
import { isWanted, readDeadLetters } from '../dead-letters/read-dead-letters.ts'
import type { DeadLetterFilter } from '../dead-letters/read-dead-letters.ts'
import type { InterruptibleContext } from '../command-context.ts'
import { withTopicReader } from '../with-topic-reader.ts'
import { withPostgres } from '../with-postgres.ts'
import type { ReplayDeadLettersOptions } from './replay-dead-letters.ts'

export type DropDeadLettersOptions = ReplayDeadLettersOptions

const filterNames = ['reason', 'group', 'since', 'until', 'partition', 'offset'] as const

export async function dropDeadLetters(
  environment: Environment,
  options: DropDeadLettersOptions,
  { write, signal }: InterruptibleContext
): Promise<void> {
  if (!isBounded(options)) {
    throw new Error(
      'select records: pass --reason, --group, --since, --until, --partition or --offset'
    )
  }
  const config = readDeadLetterConfig(environment)
  const { topic } = deadLetterTopicOfName(config, options.topic)
  const isExecuted = options.execute === true
  let records = 0
  await withTopicReader(config, (reader) =>
    withPostgres(config, async (postgres) => {
      for await (const batch of readDeadLetters({ reader, postgres, topic, signal }, options)) {
        const open = batch.filter((each) => each.state === 'open' && isWanted(each, options))
        const positions: RecordPosition[] = open.map(({ message }) => message)
        records += positions.length
        if (isExecuted)
          await postgres.transaction((transaction) =>
            insertMarks(transaction, positions, { action: 'dropped', by: options.by })
          )
      }
    })
  )
  if (options.json === true) return write(JSON.stringify({ records, dropped: isExecuted }))
  write(
    `${records} dead-letter records ${isExecuted ? 'were' : 'would be'} dropped. They stay ` +
      'in the topic,'
  )
  write('but dlq list and dlq replay exclude them.')
  if (!isExecuted) write('Dry run: nothing was changed. Add --execute to apply the changes.')
}

function isBounded(filter: DeadLetterFilter): boolean {
  return filterNames.some((name) => filter[name] !== undefined)
}
