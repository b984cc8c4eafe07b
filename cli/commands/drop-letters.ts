/** `sluice dlq drop`: dead letters that nobody will replay are noted as dealt with. */
import type { Environment } from '../../platform/config/config.ts'
import { letterTopicOf } from '../letters/dead-letter-topics.ts'
import { readLetterConfig } from '../letters/letter-config.ts'
import { insertMarks } from '../letters/letter-marks.ts'
import type { LetterPlace } from '../letters/letter-marks.ts'
import { isWanted, readLetters } from '../letters/read-letters.ts'
import type { LetterFilter } from '../letters/read-letters.ts'
import type { InterruptibleSurroundings } from '../surroundings.ts'
import { withLog } from '../with-log.ts'
import { withPostgres } from '../with-postgres.ts'
import type { ReplayLettersOptions } from './replay-letters.ts'

export type DropLettersOptions = ReplayLettersOptions

const filterNames = ['reason', 'group', 'since', 'until', 'partition', 'offset'] as const

export async function dropLetters(
  environment: Environment,
  options: DropLettersOptions,
  { write, signal }: InterruptibleSurroundings
): Promise<void> {
  if (!isBounded(options)) {
    throw new Error('say which: --reason, --group, --since, --until, --partition or --offset')
  }
  const config = readLetterConfig(environment)
  const { topic } = letterTopicOf(config, options.topic)
  const isExecuted = options.execute === true
  let letters = 0
  await withLog(config, (reader) =>
    withPostgres(config, async (postgres) => {
      for await (const records of readLetters({ reader, postgres, topic, signal }, options)) {
        const open = records.filter((each) => each.state === 'open' && isWanted(each, options))
        const places: LetterPlace[] = open.map(({ message }) => message)
        letters += places.length
        if (isExecuted) await insertMarks(postgres, places, { action: 'dropped', by: options.by })
      }
    })
  )
  if (options.json === true) return write(JSON.stringify({ letters, dropped: isExecuted }))
  write(
    `${letters} letters ${isExecuted ? 'are' : 'would be'} dropped: they stay in the topic, and`
  )
  write('dlq list and dlq replay leave them out from then on.')
  if (!isExecuted) write('Nothing was done; --execute does it.')
}

function isBounded(filter: LetterFilter): boolean {
  return filterNames.some((name) => filter[name] !== undefined)
}
