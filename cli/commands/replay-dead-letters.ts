/** `sluice dlq replay`: writes dead-letter records back to their original topic. */
import { permanentReasons } from '../../core/message-outcome.ts'
import type { Environment } from '../../platform/config/config.ts'
import type { RecordProducer } from '../../platform/kafka/record-producer.ts'
import { commandClient } from '../command-client.ts'
import { throttleProgress } from '../throttle-progress.ts'
import { chooseRecords, foreignRecord } from '../dead-letters/choose-records.ts'
import type { ChosenRecords } from '../dead-letters/choose-records.ts'
import { deadLetterTopicOfName } from '../dead-letters/dead-letter-topics.ts'
import type { DeadLetterTopicName } from '../dead-letters/dead-letter-topics.ts'
import { readDeadLetterConfig } from '../dead-letters/dead-letter-config.ts'
import { insertMarks } from '../../store/dead-letter-marks.ts'
import type { DeadLetterFilter } from '../dead-letters/read-dead-letters.ts'
import { replayRecords as replayChosen } from '../dead-letters/replay-records.ts'
import type { InterruptibleContext } from '../command-context.ts'
import { withTopicReader } from '../with-topic-reader.ts'
import type { KafkaConfig } from '../with-topic-reader.ts'
import { withPostgres } from '../with-postgres.ts'

export interface ReplayDeadLettersOptions extends DeadLetterFilter {
  readonly topic: DeadLetterTopicName
  /** Default: false (dry run). */
  readonly execute?: boolean
  /** Name recorded with the replay. */
  readonly by: string
  readonly json?: boolean
}

export async function replayDeadLetters(
  environment: Environment,
  options: ReplayDeadLettersOptions,
  { write, logProgress, signal }: InterruptibleContext
): Promise<void> {
  const config = readDeadLetterConfig(environment)
  const { topic, origin: originTopic } = deadLetterTopicOfName(config, options.topic)
  const isExecuted = options.execute === true

  await withTopicReader(config, (reader) =>
    withPostgres(config, async (postgres) => {
      const source = { reader, postgres, topic, signal }
      const choice = {
        filter: options,
        originTopic,
        excludedReasons: Object.keys(permanentReasons)
      }
      const chosen = await chooseRecords(source, choice)
      const { by } = options
      const total = chosen.origins.length
      const logThrottled = throttleProgress(logProgress)
      const progress = (count: number): void => logThrottled(`replayed ${count} of ${total}`)
      const replay = { ...source, originTopic, by, progress }
      const replayed = !isExecuted
        ? 0
        : await withProducer(config, (producer) =>
            replayChosen(chosen.origins, { ...replay, producer })
          )
      if (isExecuted) {
        const others = chosen.replayed.flatMap(({ deadLetters }) => deadLetters)
        await postgres.transaction((transaction) =>
          insertMarks(transaction, others, { action: 'replayed', by })
        )
      }
      const lines = options.json === true ? [jsonOf(chosen, replayed)] : linesOf(chosen, replayed)
      for (const line of lines) write(line)
      if (isExecuted && replayed < total) throw new Error(unfinished(total - replayed))
      if (!isExecuted && options.json !== true)
        write('Dry run: nothing was changed. Add --execute to apply the changes.')
    })
  )
}

async function withProducer<T>(
  config: KafkaConfig,
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
  return (
    `${left} records were not replayed, because the command was interrupted or retention ` +
    'deleted them. Run the command again to continue.'
  )
}

function jsonOf({ origins, replayed: before, leftOut }: ChosenRecords, replayed: number): string {
  const counts = { records: origins.length, replayed, replayed_before: before.length }
  return JSON.stringify({ ...counts, left_out: Object.fromEntries(leftOut) })
}

function linesOf({ origins, replayed: before, leftOut }: ChosenRecords, replayed: number) {
  const deadLetters = origins.reduce((sum, origin) => sum + origin.deadLetters.length, 0)
  return [
    `${origins.length} records to replay, from ${deadLetters} dead-letter records; ` +
      `${replayed} replayed.`,
    ...(before.length === 0
      ? []
      : [`${before.length} were replayed before, through another dead-letter record.`]),
    ...[...leftOut].map(([reason, count]) => leftOutLine(reason, count))
  ]
}

function leftOutLine(reason: string, count: number): string {
  if (reason === foreignRecord) return `${count} skipped: not dead-letter records of this topic.`
  return (
    `${count} with reason ${reason} skipped: ` +
    `${permanentReasons[reason] ?? 'permanent error'}, so they would fail again. Pass ` +
    `--reason ${reason} to replay them anyway.`
  )
}
