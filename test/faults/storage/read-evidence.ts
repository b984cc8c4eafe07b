/** Reads the evidence of a storage run from topics and tables, and saves it next to the ledger. */
import pg from 'pg'
import { decisionContract } from '../../../schemas/index.ts'
import { AvroReader, readWireFormat } from '../../support/avro-reader.ts'
import { fingerprintOf } from '../fingerprint.ts'
import type { Content } from '../fingerprint.ts'
import { readLedger, writeEvidence } from './evidence.ts'
import type { Evidence, DeadLetterEntry, StoredRow, TopicEntry } from './evidence.ts'
import { hashRecord } from './hash-record.ts'
import { identityOf } from './ledger-line.ts'
import type { RunLine } from './ledger-line.ts'
import { readRecords } from './read-records.ts'
import type { RawRecord } from './read-records.ts'

/** Addresses of the services to read from. */
export interface Running {
  readonly brokers: string
  readonly databaseUrl: string
}

/** Header that identifies poison records. */
export const poisonHeader = 'poison_id'
const letterHeader = 'dead_letter_'

type Decision = Content & {
  readonly decision_id: string
  readonly organization_id: string
  readonly received_at: number
}
type AvroSchema = Parameters<AvroReader['read']>[0]

const schema = JSON.parse(decisionContract.text) as AvroSchema

export async function gatherEvidence(folder: string, running: Running): Promise<Evidence> {
  const ledger = readLedger(folder)
  const run = ledger.find((line): line is RunLine => line.line === 'run')
  if (run === undefined)
    throw new Error(`the ledger in ${folder} has no line that describes the run`)
  const records = await readRecords(running.brokers, run.decisionsTopic)
  const deadLetters = await readRecords(running.brokers, run.deadLetterTopic)
  const found = {
    records: records.map(entryOf),
    deadLetters: deadLetters.map(parseDeadLetter),
    rows: await readRows(running.databaseUrl)
  }
  writeEvidence(folder, found)
  return { ledger, ...found }
}

function textOf({ headers }: RawRecord, name: string): string | null {
  return headers.find(([each]) => each === name)?.[1].toString('utf8') ?? null
}

function entryOf(record: RawRecord): TopicEntry {
  const { partition, offset } = record
  const poisonId = textOf(record, poisonHeader)
  const decision = poisonId === null ? decisionOf(record) : null
  return {
    ...{ partition, offset, poisonId, hash: hashRecord(record) },
    identity: decision === null ? null : identityOf(decision.organization_id, decision.decision_id),
    fingerprint: decision === null ? '' : fingerprintOf(decision),
    receivedAt: decision?.received_at ?? 0
  }
}

/**
 * Decodes the decision in a record. Returns null if the record contains no decision, or if the
 * record's key or headers do not match the decision.
 */
function decisionOf(record: RawRecord): Decision | null {
  try {
    const reader = new AvroReader(readWireFormat(record.value ?? Buffer.alloc(0)).payload)
    const decision = reader.read(schema) as Decision
    reader.end()
    const { decision_id, organization_id, agent_id, session_id } = decision
    const isConsistent =
      textOf(record, 'decision_id') === decision_id &&
      textOf(record, 'organization_id') === organization_id &&
      (record.key?.toString('utf8') ?? decision_id) === (agent_id ?? session_id ?? decision_id)
    return isConsistent ? decision : null
  } catch {
    return null
  }
}

function parseDeadLetter(record: RawRecord): DeadLetterEntry {
  const place = ['partition', 'offset'].map((name) => textOf(record, `${letterHeader}${name}`))
  const headers = record.headers.filter(([name]) => !name.startsWith(letterHeader))
  return {
    place: place.join('/'),
    reason: textOf(record, `${letterHeader}reason`) ?? '',
    hash: hashRecord({ ...record, headers })
  }
}

type Row = Record<keyof Omit<Decision, 'input_tokens' | 'output_tokens' | 'received_at'>, string>

interface Counts {
  readonly stored_in: string
  readonly received_ms: string
  readonly input_tokens: string | null
  readonly output_tokens: string | null
}

async function readRows(databaseUrl: string): Promise<StoredRow[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<Row & Counts>(
      `select tableoid::regclass::text as stored_in,
              (extract(epoch from received_at) * 1000)::bigint::text as received_ms,
              organization_id, decision_id, input, output, agent_id, session_id, domain, metadata,
              input_tokens::text, output_tokens::text
         from decisions`
    )
    return rows.map(rowOf)
  } finally {
    await client.end()
  }
}

function rowOf(row: Row & Counts): StoredRow {
  const content: Content = {
    ...row,
    // The column contains a JSON string literal.
    output: JSON.parse(row.output) as string,
    input_tokens: row.input_tokens === null ? null : Number(row.input_tokens),
    output_tokens: row.output_tokens === null ? null : Number(row.output_tokens)
  }
  return {
    identity: identityOf(row.organization_id, row.decision_id),
    fingerprint: fingerprintOf(content),
    receivedAt: Number(row.received_ms),
    table: row.stored_in
  }
}
