/** `sluice dlq show`: one dead letter whole, for people, for programs, or as the bytes it has. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'
import { createRegistry } from '../../platform/registry/schema-registry.ts'
import { letterTopicOf } from '../letters/dead-letter-topics.ts'
import type { LetterTopicName } from '../letters/dead-letter-topics.ts'
import { readLetters } from '../letters/read-letters.ts'
import type { LetterRecord } from '../letters/read-letters.ts'
import { letterJson, letterLines } from '../letters/show-lines.ts'
import type { Output } from '../output.ts'
import { createDescribe } from '../records/describe.ts'
import { withLog } from '../with-log.ts'
import { withPostgres } from '../with-postgres.ts'

export interface ShowLetterOptions {
  readonly topic: LetterTopicName
  /** Its value alone, as it is. */
  readonly raw?: boolean
  readonly json?: boolean
}

export interface ShowLetterRequest {
  readonly partition: number
  readonly offset: number
  readonly options: ShowLetterOptions
}

export async function showLetter(
  environment: Environment,
  request: ShowLetterRequest,
  output: Output
): Promise<void> {
  const config = readConfig(environment, [
    ...kafkaSettingNames,
    ...(['SCHEMA_REGISTRY_URL', 'SCHEMA_REGISTRY_TLS_CA', 'DATABASE_URL'] as const),
    ...(['DATABASE_TLS_CA', 'DECISIONS_TOPIC', 'EVALUATIONS_TOPIC'] as const)
  ])
  const { partition, offset, options } = request
  const { topic, content } = letterTopicOf(config, options.topic)
  const registry = createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA)
  await withLog(config, (reader) =>
    withPostgres(config, async (postgres) => {
      const source = { reader, postgres, topic, signal: output.closed }
      const record = await findLetter(readLetters(source, { partition, offset }))
      if (record === null) throw new Error(`${topic} has nothing at ${partition}/${offset}`)
      if (options.raw === true) return await output.write(record.message.value ?? '')
      const described = await createDescribe(registry, content)(record.message)
      const lines =
        options.json === true ? [letterJson(record, described)] : letterLines(record, described)
      await output.write(lines.map((line) => `${line}\n`).join(''))
    })
  )
}

async function findLetter(found: AsyncIterable<LetterRecord[]>): Promise<LetterRecord | null> {
  for await (const [record] of found) if (record !== undefined) return record
  return null
}
