/** `sluice dlq replay`: dead letters go back to where they came from. */
import type { Environment } from '../../platform/config/config.ts'
import type { RecordProducer } from '../../platform/kafka/record-producer.ts'
import { commandClient } from '../command-client.ts'
import { everySecond } from '../every-second.ts'
import { chooseLetters, foreign } from '../letters/choose-letters.ts'
import type { ChosenLetters } from '../letters/choose-letters.ts'
import { letterTopicOf } from '../letters/dead-letter-topics.ts'
import type { LetterTopicName } from '../letters/dead-letter-topics.ts'
import { readLetterConfig } from '../letters/letter-config.ts'
import { insertMarks } from '../letters/letter-marks.ts'
import type { LetterFilter } from '../letters/read-letters.ts'
import { replayLetters as replayChosen } from '../letters/replay-letters.ts'
import type { InterruptibleSurroundings } from '../surroundings.ts'
import { withLog } from '../with-log.ts'
import type { LogConfig } from '../with-log.ts'
import { withPostgres } from '../with-postgres.ts'

export interface ReplayLettersOptions extends LetterFilter {
  readonly topic: LetterTopicName
  /** Without it, it is only said what would be done. */
  readonly execute?: boolean
  /** Who is noted to have done it. */
  readonly by: string
  readonly json?: boolean
}

/** Reasons that no replay mends, and why. */
const hopeless: Readonly<Record<string, string>> = {
  id_conflict: 'their decision_id belongs to another decision',
  empty_value: 'they have no value'
}

export async function replayLetters(
  environment: Environment,
  options: ReplayLettersOptions,
  { write, tell, signal }: InterruptibleSurroundings
): Promise<void> {
  const config = readLetterConfig(environment)
  const { topic, origin: originTopic } = letterTopicOf(config, options.topic)
  const isExecuted = options.execute === true

  await withLog(config, (reader) =>
    withPostgres(config, async (postgres) => {
      const source = { reader, postgres, topic, signal }
      const choice = { filter: options, originTopic, spared: Object.keys(hopeless) }
      const chosen = await chooseLetters(source, choice)
      const { by } = options
      const total = chosen.origins.length
      const tellNow = everySecond(tell)
      const progress = (count: number): void => tellNow(`replayed ${count} of ${total}`)
      const replay = { ...source, originTopic, by, progress }
      const replayed = !isExecuted
        ? 0
        : await withProducer(config, (producer) =>
            replayChosen(chosen.origins, { ...replay, producer })
          )
      if (isExecuted) {
        const others = chosen.replayed.flatMap(({ letters }) => letters)
        await insertMarks(postgres, others, { action: 'replayed', by })
      }
      const told = options.json === true ? [jsonOf(chosen, replayed)] : linesOf(chosen, replayed)
      for (const line of told) write(line)
      if (isExecuted && replayed < total) throw new Error(unfinished(total - replayed))
      if (!isExecuted && options.json !== true) write('Nothing was done; --execute does it.')
    })
  )
}

async function withProducer<T>(
  config: LogConfig,
  work: (producer: RecordProducer) => Promise<T>
): Promise<T> {
  const producer = commandClient(config).producer()
  await producer.connect()
  try {
    return await work(producer)
  } finally {
    await producer.close()
  }
}

function unfinished(left: number): string {
  return `${left} were not replayed: it was interrupted, or they are gone; run it again to go on`
}

function jsonOf({ origins, replayed: before, leftOut }: ChosenLetters, replayed: number): string {
  const counts = { records: origins.length, replayed, replayed_before: before.length }
  return JSON.stringify({ ...counts, left_out: Object.fromEntries(leftOut) })
}

function linesOf({ origins, replayed: before, leftOut }: ChosenLetters, replayed: number) {
  const letters = origins.reduce((sum, origin) => sum + origin.letters.length, 0)
  return [
    `${origins.length} records to replay, from ${letters} letters; ${replayed} are replayed.`,
    ...(before.length === 0 ? [] : [`${before.length} were replayed as another letter before.`]),
    ...[...leftOut].map(([reason, count]) => leftOutLine(reason, count))
  ]
}

function leftOutLine(reason: string, count: number): string {
  if (reason === foreign) return `${count} are left out: no dead letters of this topic.`
  return (
    `${count} with ${reason} are left out: ${hopeless[reason] ?? 'it is so'}, so they would come ` +
    `back. Name them with --reason ${reason} to replay them all the same.`
  )
}
