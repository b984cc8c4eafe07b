/** Loads the contracts (Avro schemas, topics and JSON Schemas) once and freezes them. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface TopicDefinition {
  readonly name: string
  readonly role: 'decisions' | 'evaluations' | 'decisions_dead_letter' | 'evaluations_dead_letter'
  readonly partitions: number
  /** Kafka topic configuration, with the names that the broker uses. */
  readonly config: Readonly<Record<string, string>>
}

/** An Avro schema with the text that is registered. The text is the contract, byte for byte. */
export interface AvroContract {
  /** `<name>.v<version>.avsc` in this folder. */
  readonly file: string
  readonly text: string
  readonly schema: { readonly type: 'record'; readonly name: string }
}

/** The properties of `dropped` are the drop reasons that are counted separately. */
interface ClientReportSchema extends Readonly<Record<string, unknown>> {
  readonly properties: { readonly dropped: { readonly properties: Record<string, object> } }
}

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

function avroContract(file: string): AvroContract {
  const text = read(file)
  return Object.freeze({ file, text, schema: JSON.parse(text) as AvroContract['schema'] })
}

/** Schema of the record values on the decisions topic. */
export const decisionContract = avroContract('decision.v1.avsc')

/** Schema of the record values on the evaluations topic. */
export const evaluationContract = avroContract('evaluation.v1.avsc')

/**
 * The current schemas, used to write and read records. Earlier versions keep their files, because
 * topics can contain records of every version.
 */
export const avroContracts: readonly AvroContract[] = [decisionContract, evaluationContract]

interface ReleasedSchema {
  /** SHA-256 of the file, in hex. */
  readonly sha256: string
  /**
   * SHA-256 of the bytes that tests must always be able to decode:
   * test/unit/platform/avro/golden/<name>.v<n>.hex.
   */
  readonly golden_sha256: string
}

/**
 * Released schemas by file. Topics may contain records of each, so neither the files nor these
 * entries ever change.
 */
export const releasedSchemas = Object.freeze(
  JSON.parse(read('released.json')) as Record<string, ReleasedSchema>
)

/** Reads every Avro schema in this folder, by file name. */
export function readAvroFiles(): ReadonlyMap<string, string> {
  const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.avsc'))
  return new Map(files.toSorted().map((file) => [file, read(file)]))
}

/** JSON Schema (2020-12) of the body of `POST /v1/ingest`. */
export const decisionBodySchema = Object.freeze(
  JSON.parse(read('decision.body.schema.json')) as Record<string, unknown>
)

/**
 * JSON Schema of `client_report` in a batch: how many decisions an SDK dropped before sending, by
 * reason.
 */
export const clientReportSchema = Object.freeze(
  JSON.parse(read('client-report.schema.json')) as ClientReportSchema
)

export const topicDefinitions: readonly TopicDefinition[] = Object.freeze(
  JSON.parse(read('topics.json')) as TopicDefinition[]
)

/** Folder of the append-only SQL migrations, which are applied in the order of their names. */
export const migrationsFolder = fileURLToPath(new URL('postgres/', import.meta.url))

/**
 * Returns the registry subject of the record values on a topic, by the TopicNameStrategy that
 * registry clients use by default.
 */
export function subjectOf(topic: string): string {
  return `${topic}-value`
}

export function deadLetterTopicOf(topic: string): string {
  return `${topic}.dead-letter`
}

/**
 * Compatibility level that is set explicitly on every subject, because a registry's default may be
 * NONE.
 */
export const schemaCompatibility = 'FULL_TRANSITIVE'
