/** `sluice erase`: deletes decisions permanently, and keeps redelivered copies from being stored
 * again.
 */
import { readFile } from 'node:fs/promises'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { countErasureCandidates } from '../../store/erasure/count-erasure-candidates.ts'
import { parseErasures } from '../erasure/parse-erasures.ts'
import { restoreErasures } from '../../store/erasure/restore-erasures.ts'
import { eraseActionOf } from '../erasure/erasure-request.ts'
import type { EraseAction, EraseOptions, ErasureTarget } from '../erasure/erasure-request.ts'
import { beginErasure, selectErasures } from '../../store/erasure/erasure-table.ts'
import type { Erasure } from '../../store/erasure/erasure-table.ts'
import { describeErasure, describeTarget } from '../erasure/describe-erasure.ts'
import { runErasure } from '../../store/erasure/run-erasure.ts'
import { organizationIdOf } from '../keys/key-table.ts'
import { withPostgres } from '../with-postgres.ts'

/**
 * Statement timeout in milliseconds. High, because counting the decisions of a large organization
 * can take minutes.
 */
const statementTimeoutMs = 600_000
const staysInKafka =
  'Kafka keeps the data until the retention of the topics and dead-letter topics has passed.'

interface EraseContext {
  readonly postgres: Postgres
  readonly write: (line: string) => void
  readonly json: boolean
}

export async function erase(
  environment: Environment,
  options: EraseOptions,
  write: (line: string) => void
): Promise<void> {
  const action = eraseActionOf(options)
  const config = readConfig(environment, ['DATABASE_URL', 'DATABASE_TLS_CA'])
  const json = options.json === true
  await withPostgres(
    config,
    (postgres) => act(action, { postgres, write, json }),
    statementTimeoutMs
  )
}

async function act(action: EraseAction, context: EraseContext): Promise<void> {
  if (action.kind === 'count') return await count(action.target, context)
  if (action.kind === 'list') return await list(action.organization, context)
  if (action.kind === 'repeat') return await repeat(action.path, context)
  if (action.kind === 'resume') return await resume(action.organization, context)
  const { organization, scope, subject } = action.target
  const { postgres, write, json } = context
  const erasure = await beginErasure(postgres, {
    organization_id: await organizationIdOf(postgres, organization),
    scope,
    subject,
    requested_by: action.by,
    reason: action.reason
  })
  await finish(erasure, context)
  if (!json) write(staysInKafka)
}

async function count(target: ErasureTarget, { postgres, write, json }: EraseContext) {
  const { organization, scope, subject } = target
  const organization_id = await organizationIdOf(postgres, organization)
  const [now] = await postgres.query<{ now: Date }>(`select clock_timestamp() as now`)
  if (now === undefined) throw new Error('Postgres returned no row for its time')
  const rule = { organization_id, scope, subject, received_until: now.now }
  const counts = await countErasureCandidates(postgres, rule)
  if (json) return write(JSON.stringify({ ...rule, ...counts, erased: false }))
  write(`${describeTarget(rule)} has`)
  for (const [table, rows] of Object.entries(counts)) write(`  ${table.padEnd(16)} ${rows}`)
  write('Dry run: nothing was erased. Add --execute, --reason and --by to erase.')
  write(staysInKafka)
}

async function list(organization: string | null, { postgres, write, json }: EraseContext) {
  const erasures = await erasuresOf(postgres, organization)
  if (json) return write(JSON.stringify(erasures))
  if (erasures.length === 0) return write('There are no erasures.')
  for (const erasure of erasures) write(describeErasure(erasure))
}

async function resume(organization: string | null, context: EraseContext) {
  const erasures = await erasuresOf(context.postgres, organization)
  const unfinished = erasures.filter(({ finished_at }) => finished_at === null)
  if (unfinished.length === 0 && !context.json) context.write('There are no unfinished erasures.')
  for (const erasure of unfinished) await finish(erasure, context)
}

/**
 * After a restore, repeats erasures that are missing from the database or have an earlier end
 * there.
 */
async function repeat(path: string, context: EraseContext): Promise<void> {
  const { postgres, write, json } = context
  const remembered = parseErasures(await readFile(path, 'utf8'))
  const forgotten = await restoreErasures(postgres, remembered)
  if (forgotten.length === 0 && !json) write('The database has all erasures in the file.')
  for (const erasure of forgotten) await finish(erasure, context)
}

async function erasuresOf(postgres: Postgres, organization: string | null): Promise<Erasure[]> {
  const id = organization === null ? null : await organizationIdOf(postgres, organization)
  return await selectErasures(postgres, id)
}

async function finish(erasure: Erasure, { postgres, write, json }: EraseContext): Promise<void> {
  if (!json) write(`erasing ${describeTarget(erasure)}, erasure ${erasure.erasure_id}`)
  const finished = await runErasure(postgres, erasure, ({ decisions, evaluation_runs, scores }) => {
    if (!json) write(`  ${decisions} decisions, ${evaluation_runs} runs and ${scores} scores`)
  })
  write(json ? JSON.stringify(finished) : describeErasure(finished))
}
