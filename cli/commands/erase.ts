/** `sluice erase`: deletes decisions for good, keeps a record of it, and keeps them out. */
import { readFile } from 'node:fs/promises'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { countDoomed } from '../../store/erasure/count-doomed.ts'
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

/** To count all of a large organization takes its time. */
const statementTimeoutMs = 600_000
const staysInKafka =
  'In Kafka it stays until the retention of the topics and of their dead letters is over.'

interface Surroundings {
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

async function act(action: EraseAction, surroundings: Surroundings): Promise<void> {
  if (action.kind === 'count') return await count(action.target, surroundings)
  if (action.kind === 'list') return await list(action.organization, surroundings)
  if (action.kind === 'repeat') return await repeat(action.path, surroundings)
  if (action.kind === 'resume') return await resume(action.organization, surroundings)
  const { organization, scope, subject } = action.target
  const { postgres, write, json } = surroundings
  const erasure = await beginErasure(postgres, {
    ...{ organization_id: await organizationIdOf(postgres, organization), scope, subject },
    ...{ requested_by: action.by, reason: action.reason }
  })
  await finish(erasure, surroundings)
  if (!json) write(staysInKafka)
}

async function count(target: ErasureTarget, { postgres, write, json }: Surroundings) {
  const { organization, scope, subject } = target
  const organization_id = await organizationIdOf(postgres, organization)
  const [now] = await postgres.query<{ now: Date }>(`select clock_timestamp() as now`)
  if (now === undefined) throw new Error('the time of Postgres has no row')
  const rule = { organization_id, scope, subject, received_until: now.now }
  const counts = await countDoomed(postgres, rule)
  if (json) return write(JSON.stringify({ ...rule, ...counts, erased: false }))
  write(`${describeTarget(rule)} has`)
  for (const [table, rows] of Object.entries(counts)) write(`  ${table.padEnd(16)} ${rows}`)
  write('Nothing was erased; --execute with --reason and --by does it.')
  write(staysInKafka)
}

async function list(organization: string | null, { postgres, write, json }: Surroundings) {
  const erasures = await erasuresOf(postgres, organization)
  if (json) return write(JSON.stringify(erasures))
  if (erasures.length === 0) return write('Nothing was ever asked to be erased.')
  for (const erasure of erasures) write(describeErasure(erasure))
}

async function resume(organization: string | null, surroundings: Surroundings) {
  const erasures = await erasuresOf(surroundings.postgres, organization)
  const unfinished = erasures.filter(({ finished_at }) => finished_at === null)
  if (unfinished.length === 0 && !surroundings.json) surroundings.write('Nothing is unfinished.')
  for (const erasure of unfinished) await finish(erasure, surroundings)
}

/** What a restored database has forgotten, with what it is in the middle of. */
async function repeat(path: string, surroundings: Surroundings): Promise<void> {
  const { postgres, write, json } = surroundings
  const remembered = parseErasures(await readFile(path, 'utf8'))
  const forgotten = await restoreErasures(postgres, remembered)
  if (forgotten.length === 0 && !json) write('The database knows all of them.')
  for (const erasure of forgotten) await finish(erasure, surroundings)
}

async function erasuresOf(postgres: Postgres, organization: string | null): Promise<Erasure[]> {
  const id = organization === null ? null : await organizationIdOf(postgres, organization)
  return await selectErasures(postgres, id)
}

async function finish(erasure: Erasure, { postgres, write, json }: Surroundings): Promise<void> {
  if (!json) write(`erasing ${describeTarget(erasure)}, number ${erasure.erasure_id}`)
  const finished = await runErasure(postgres, erasure, ({ decisions, evaluation_runs, scores }) => {
    if (!json) write(`  ${decisions} decisions, ${evaluation_runs} runs and ${scores} scores`)
  })
  write(json ? JSON.stringify(finished) : describeErasure(finished))
}
