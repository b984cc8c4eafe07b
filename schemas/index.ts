/** The contracts as data: Avro schemas, topics and JSON Schemas, loaded once and frozen. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface TopicDefinition {
  readonly name: string
  readonly role: 'decisions' | 'evaluations' | 'decisions_dead_letter' | 'evaluations_dead_letter'
  readonly partitions: number
  /** Kafka topic configuration, as the broker names it. */
  readonly config: Readonly<Record<string, string>>
}

/** An Avro schema with the text that is registered; the text is the contract, byte for byte. */
export interface AvroContract {
  /** `<name>.v<version>.avsc` in this folder. */
  readonly file: string
  readonly text: string
  readonly schema: { readonly type: 'record'; readonly name: string }
}

/** The reasons that have a count of their own are named in it. */
export interface ClientReportSchema extends Readonly<Record<string, unknown>> {
  readonly properties: { readonly dropped: { readonly properties: Record<string, object> } }
}

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

function avroContract(file: string): AvroContract {
  const text = read(file)
  return Object.freeze({ file, text, schema: JSON.parse(text) as AvroContract['schema'] })
}

/** The value of a record on the decisions topic. */
export const decisionContract = avroContract('decision.v1.avsc')

/** The value of a record on the evaluations topic. */
export const evaluationContract = avroContract('evaluation.v1.avsc')

/** What we write, and as what we read; earlier versions stay beside them for ever. */
export const avroContracts: readonly AvroContract[] = [decisionContract, evaluationContract]

export interface ReleasedSchema {
  /** Of the file, in hex. */
  readonly sha256: string
  /** Of the bytes that tests decode for ever: test/unit/platform/avro/golden/<name>.v<n>.hex. */
  readonly golden_sha256: string
}

/** Schemas that topics may hold records of, by file: neither they nor these rows ever change. */
export const releasedSchemas = Object.freeze(
  JSON.parse(read('released.json')) as Record<string, ReleasedSchema>
)

/** Every Avro schema in this folder, by the name of its file. */
export function readAvroFiles(): ReadonlyMap<string, string> {
  const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.avsc'))
  return new Map(files.toSorted().map((file) => [file, read(file)]))
}

/** JSON Schema (2020-12) of the body of `POST /v1/ingest`. */
export const decisionBodySchema = Object.freeze(
  JSON.parse(read('decision.body.schema.json')) as Record<string, unknown>
)

/** JSON Schema of what an SDK says it dropped, beside a batch. */
export const clientReportSchema = Object.freeze(
  JSON.parse(read('client-report.schema.json')) as ClientReportSchema
)

export const topicDefinitions: readonly TopicDefinition[] = Object.freeze(
  JSON.parse(read('topics.json')) as TopicDefinition[]
)

/** Append-only SQL migrations, applied in the order of their names. */
export const migrationsFolder = fileURLToPath(new URL('postgres/', import.meta.url))

/** Subjects follow the topic, as every registry client expects. */
export function subjectOf(topic: string): string {
  return `${topic}-value`
}

export function deadLetterTopicOf(topic: string): string {
  return `${topic}.dead-letter`
}

/** Set explicitly on every subject: a registry's default may be NONE. */
export const schemaCompatibility = 'FULL_TRANSITIVE'
