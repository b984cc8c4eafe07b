/** Reads the evidence of an evaluation run from topics and tables, and saves it next to the ledger.
 */
import { hash } from 'node:crypto'
import pg from 'pg'
import type {
  Evaluation as WholeEvaluation,
  PackedRun
} from '../../../core/evaluation/evaluation.ts'
import { runIdOf, scoreIdOf } from '../../../core/ids/run-id.ts'
import { decisionContract, evaluationContract } from '../../../schemas/index.ts'
import { AvroReader, readWireFormat } from '../../support/avro-reader.ts'
import type { Running } from '../storage/read-evidence.ts'
import { identityOf } from '../storage/ledger-line.ts'
import { readRecords } from '../storage/read-records.ts'
import type { RawRecord } from '../storage/read-records.ts'
import { readPart, writeEvidenceParts } from './evidence.ts'
import type {
  AttemptRow,
  EndedRun,
  EvaluationEvidence,
  ReadEvidence,
  PlanRow,
  RunName
} from './evidence.ts'

type AvroSchema = Parameters<AvroReader['read']>[0]

interface Named {
  readonly organization_id: string
  readonly decision_id: string
}

type Score = Readonly<Record<string, unknown>>

interface PublishedRun extends Omit<EndedRun, 'identity' | 'endedAt' | 'scores'> {
  readonly scores: readonly Score[]
}

interface Evaluation extends Named, Pick<WholeEvaluation, 'runs'> {
  readonly evaluated_at: number
  readonly later_runs: readonly PublishedRun[]
}

const decisionSchema = JSON.parse(decisionContract.text) as AvroSchema
const evaluationSchema = JSON.parse(evaluationContract.text) as AvroSchema

export async function gatherEvaluationEvidence(
  folder: string,
  running: Running
): Promise<EvaluationEvidence> {
  const ledger = readPart(folder, 'ledger')
  const run = ledger.find((line) => line.line === 'evaluation_run')
  if (run === undefined)
    throw new Error(`the ledger in ${folder} has no line that describes the run`)
  const decisions = await readRecords(running.brokers, run.decisionsTopic)
  const evaluations = await readRecords(running.brokers, run.evaluationsTopic)
  const found: ReadEvidence = {
    decisions: decisions.map((record) => identityIn(decode<Named>(record, decisionSchema))),
    published: evaluations.flatMap((record) => runsOf(decode(record, evaluationSchema))),
    ...(await readTables(running.databaseUrl))
  }
  writeEvidenceParts(folder, found)
  return { ledger, calls: readPart(folder, 'calls'), ...found }
}

function decode<T>({ value }: RawRecord, schema: AvroSchema): T {
  const reader = new AvroReader(readWireFormat(value ?? Buffer.alloc(0)).payload)
  const decoded = reader.read(schema) as T
  reader.end()
  return decoded
}

function identityIn({ organization_id, decision_id }: Named): string {
  return identityOf(organization_id, decision_id)
}

function runsOf(evaluation: Evaluation): EndedRun[] {
  const identity = identityIn(evaluation)
  const runs = [
    ...evaluation.runs.map((run) => wholeRunOf(evaluation, run)),
    ...evaluation.later_runs
  ]
  return runs.map((run) => ({
    identity,
    run_id: run.run_id,
    rule_id: run.rule_id,
    evaluator_id: run.evaluator_id,
    status: run.status,
    status_reason: run.status_reason,
    scores: scoresOf(run.scores),
    endedAt: evaluation.evaluated_at
  }))
}

/** Adds the run id and score id, which packed runs omit because both can be derived. */
function wholeRunOf({ organization_id, decision_id }: Named, run: PackedRun): PublishedRun {
  const { rule_id, evaluator_id, evaluator_version: version, name } = run.kind
  const origin = { organization_id, decision_id, rule_id, evaluator_id, version, generation: 0 }
  const run_id = runIdOf(origin)
  const { status, status_reason, value, label, passed } = run
  const scores =
    name === null ? [] : [{ score_id: scoreIdOf(run_id, name), name, value, label, passed }]
  return { run_id, rule_id, evaluator_id, status, status_reason, scores }
}

/** Hashes the score fields that records and rows have in common. */
function scoresOf(scores: readonly Score[]): string {
  if (scores.length === 0) return ''
  const said = scores.map(({ score_id, name, value, label, passed }) =>
    JSON.stringify([score_id, name, value, label, passed])
  )
  return hash('sha256', said.toSorted().join('\n'), 'base64url').slice(0, 16)
}

const name = `organization_id || '/' || decision_id as identity, run_id, rule_id, evaluator_id`

async function readTables(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const query = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> =>
    (await client.query<Row>(text)).rows
  try {
    const scores = await readScores(query)
    const stored = await query<Omit<EndedRun, 'scores' | 'endedAt'> & { ended_at: number }>(
      `select ${name}, status, status_reason,
              (extract(epoch from evaluated_at) * 1000)::float8 as ended_at
         from evaluation_runs where generation = 0`
    )
    return {
      plans: await query<PlanRow>(
        `select organization_id || '/' || decision_id as identity, runs, outcomes
           from decision_plans`
      ),
      open: await query<RunName>(`select ${name} from pending_runs`),
      stored: stored.map(({ ended_at, ...run }) => ({
        ...run,
        ...{ scores: scoresOf(scores.get(run.run_id) ?? []), endedAt: ended_at }
      })),
      attempts: await readAttempts(query)
    }
  } finally {
    await client.end()
  }
}

type Query = <Row extends pg.QueryResultRow>(text: string) => Promise<Row[]>

async function readScores(query: Query) {
  const rows = await query<{ run_id: string; [member: string]: unknown }>(
    `select run_id, score_id, name, value, label, passed from scores`
  )
  return Map.groupBy(rows, ({ run_id }) => run_id)
}

async function readAttempts(query: Query): Promise<AttemptRow[]> {
  return await query<AttemptRow>(
    `select run_id, attempt, outcome,
            (extract(epoch from started_at) * 1000)::float8 as "startedAt",
            (extract(epoch from finished_at) * 1000)::float8 as "finishedAt"
       from run_attempts`
  )
}
