/** `sluice dlq show`: prints one dead-letter record as text, as JSON or as raw bytes. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'
import { createRegistry } from '../../platform/registry/schema-registry.ts'
import { deadLetterTopicOfName } from '../dead-letters/dead-letter-topics.ts'
import type { DeadLetterTopicName } from '../dead-letters/dead-letter-topics.ts'
import { readDeadLetters } from '../dead-letters/read-dead-letters.ts'
import type { DeadLetterRecord } from '../dead-letters/read-dead-letters.ts'
import { formatDeadLetterJson, formatDeadLetter } from '../dead-letters/format-dead-letter.ts'
import type { Output } from '../output.ts'
import { createDecodeRecord } from '../records/decode-record.ts'
import { withTopicReader } from '../with-topic-reader.ts'
import { withPostgres } from '../with-postgres.ts'

export interface ShowDeadLetterOptions {
  readonly topic: DeadLetterTopicName
  /** Whether to write only the bytes of the value. */
  readonly raw?: boolean
  readonly json?: boolean
}

interface ShowDeadLetterRequest {
  readonly partition: number
  readonly offset: number
  readonly options: ShowDeadLetterOptions
}

export async function showDeadLetter(
  environment: Environment,
  request: ShowDeadLetterRequest,
  output: Output
): Promise<void> {
  const config = readConfig(environment, [
    ...kafkaSettingNames,
    'SCHEMA_REGISTRY_URL',
    'SCHEMA_REGISTRY_TLS_CA',
    'DATABASE_URL',
    'DATABASE_TLS_CA',
    'DECISIONS_TOPIC',
    'EVALUATIONS_TOPIC'
  ])
  const { partition, offset, options } = request
  const { topic, content } = deadLetterTopicOfName(config, options.topic)
  const registry = createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA)
  await withTopicReader(config, (reader) =>
    withPostgres(config, async (postgres) => {
      const source = { reader, postgres, topic, signal: output.closed }
      const record = await findDeadLetter(readDeadLetters(source, { partition, offset }))
      if (record === null) throw new Error(`${topic} has no record at ${partition}/${offset}`)
      if (options.raw === true) return await output.write(record.message.value ?? '')
      const described = await createDecodeRecord(registry, content)(record.message)
      const lines =
        options.json === true
          ? [formatDeadLetterJson(record, described)]
          : formatDeadLetter(record, described)
      await output.write(lines.map((line) => `${line}\n`).join(''))
    })
  )
}

async function findDeadLetter(
  found: AsyncIterable<DeadLetterRecord[]>
): Promise<DeadLetterRecord | null> {
  for await (const [record] of found) if (record !== undefined) return record
  return null
}
