/** Creates a test scene: workers on a real Postgres, with judges and a topic in the test process.
 */
import type { StatusReason } from '../../../core/evaluation/status-reason.ts'
import { randomUUID } from 'node:crypto'
import type { Evaluation, LaterRun, RunKey } from '../../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import { startWorker } from '../../../consumers/evaluation/worker/start-worker.ts'
import type { WorkerOptions } from '../../../consumers/evaluation/worker/start-worker.ts'
import type {
  Failure,
  JudgeOutcome,
  JudgeRequest
} from '../../../consumers/evaluation/worker/judge-outcome.ts'
import { noCall } from '../../../consumers/evaluation/worker/judge-outcome.ts'
import { createLogger } from '../../../platform/telemetry/logger.ts'
import { createMetrics } from '../../../platform/telemetry/metrics.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { waitUntil } from '../../support/wait-until.ts'

export type RunRow = RunKey & {
  readonly status: string
  readonly status_reason: string | null
  readonly attempts: number
  readonly next_attempt_at: Date
  readonly result: string | null
  readonly published_at: Date | null
}

export type TestWorker = {
  stop(): Promise<void>
  /** Simulates SIGKILL: from now on, nothing from the worker reaches Postgres or the topic. */
  kill(): Promise<void>
  readonly metricsText: () => Promise<string>
}

export type Scene = {
  readonly database: TestDatabase
  readonly postgres: Postgres
  readonly organization_id: string
  readonly connection_id: string
  /** Published evaluations, in the order of publication. */
  readonly published: Evaluation[]
  addConnection(overrides?: { concurrency_max?: number }): Promise<string>
  addDecision(overrides?: { metadata?: string | null }): Promise<string>
  addRun(overrides?: Record<string, unknown>): Promise<RunKey>
  addRuns(count: number, overrides?: Record<string, unknown>): Promise<RunKey[]>
  start(judge: WorkerOptions['judge'], overrides?: Partial<WorkerOptions>): TestWorker
  row(key: RunKey): Promise<RunRow | undefined>
  attemptsOf(key: RunKey): Promise<readonly Record<string, unknown>[]>
  /** Resolves with the only published run of the key. */
  ended(key: RunKey): Promise<LaterRun>
  allEnded(keys: readonly RunKey[], timeoutMs?: number): Promise<LaterRun[]>
  circuit(connectionId?: string): Promise<Record<string, unknown> | undefined>
  spend(): Promise<readonly Record<string, unknown>[]>
}

const evaluator_id = 'evl_00000000000000000000000000000001'
const leaseMs = 900

export const aVersion: EvaluatorVersion = {
  ...{ evaluator_id, name: 'quality', kind: 'llm_judge', version: 1, description: null },
  config: {},
  output: {
    ...{ name: 'quality', data_type: 'numeric', min: 0, max: 1, labels: null, pass: null },
    ...{ threshold: 0.5, direction: 'higher' }
  },
  timeout_ms: 5000,
  config_hash: 'sha256:00'
}

export const aReport = {
  ...noCall,
  ...{ calls: 1, input_tokens: 100, output_tokens: 10, cost_nano_usd: 2000, model: 'small' },
  ...{ model_reported: 'small-1', latency_ms: 3, reply: '{"score":1}' }
}

/** Returns an outcome with one score, which depends only on the run. */
export function scored({ run_id }: Pick<JudgeRequest, 'run_id'>): JudgeOutcome {
  const score = {
    ...{ score_id: run_id, name: 'quality', data_type: 'numeric' as const, value: 1, label: null },
    ...{ passed: true, reason: 'good', normalized: 1, threshold: 0.5, range_min: 0, range_max: 1 },
    ...{ direction: 'higher', confidence: null, evidence: null, source_kind: null, source_id: null }
  }
  return { result: { kind: 'scored', scores: [score] }, report: aReport }
}

export function failed(status_reason: StatusReason, terms: Partial<Failure> = {}): JudgeOutcome {
  const result: Failure = {
    ...{ kind: 'failure', status_reason, retryable: true, blocks: false, retryAfterMs: null },
    ...{ http_status: null, message: `said ${status_reason}`, ...terms }
  }
  return { result, report: { ...noCall, calls: 1 } }
}

export async function createScene(): Promise<Scene> {
  const database = await createTestDatabase()
  const postgres = connect(database)
  const organization_id = randomUUID()
  const published: Evaluation[] = []
  await insert(database, 'evaluator_versions', {
    organization_id,
    ...aVersion,
    config: '{}',
    output: JSON.stringify(aVersion.output),
    created_by: 'test'
  })

  async function addConnection(overrides = {}): Promise<string> {
    const connection_id = `con_${randomUUID().replaceAll('-', '')}`
    await insert(database, 'evaluation_connections', {
      ...{ organization_id, connection_id, name: connection_id, kind: 'openai_compatible' },
      ...{ base_url: 'http://judge', ...overrides }
    })
    return connection_id
  }

  async function addDecision({ metadata = null }: { metadata?: string | null } = {}) {
    const identity = { organization_id, decision_id: randomUUID(), received_at: new Date() }
    await insert(database, 'decision_ids', { ...identity, fingerprint: Buffer.alloc(32) })
    await insert(database, 'decisions', { ...identity, input: '1', output: '"yes"', metadata })
    return identity.decision_id
  }

  const connection_id = await addConnection({ concurrency_max: 1000 })

  async function addRun(overrides: Record<string, unknown> = {}): Promise<RunKey> {
    const given = overrides['decision_id']
    const decision_id = typeof given === 'string' ? given : await addDecision()
    const key = { organization_id, decision_id, run_id: randomUUID() }
    await insert(database, 'pending_runs', {
      ...{ ...key, rule_id: 'rul_1', rule: 'quality of all', evaluator_id, evaluator: 'quality' },
      ...{ evaluator_kind: 'llm_judge', evaluator_version: 1, connection_id },
      ...{ received_at: new Date(), agent_id: 'refund-agent', status: 'scheduled' },
      ...{ expires_at: new Date(Date.now() + 3_600_000), ...overrides }
    })
    return key
  }

  const row = async (key: RunKey): Promise<RunRow | undefined> => {
    const rows = await database.query<RunRow>(
      `select * from pending_runs where ${whereKey}`,
      keyOf(key)
    )
    return rows[0]
  }
  const ended = (key: RunKey): Promise<LaterRun> =>
    waitUntil('the run is published', () => runIn(published, key))

  return {
    ...{ database, postgres, organization_id, connection_id, published },
    ...{ addConnection, addDecision, addRun, row, ended },
    addRuns: (count, overrides) =>
      Promise.all(Array.from({ length: count }, () => addRun(overrides))),
    attemptsOf: (key) =>
      database.query(`select * from run_attempts where ${whereKey} order by attempt`, keyOf(key)),
    allEnded: (keys, timeoutMs) =>
      waitUntil(
        'all runs are published',
        () => {
          const runs = keys.map((key) => runIn(published, key))
          return runs.every((run) => run !== undefined) ? runs : false
        },
        timeoutMs
      ),
    circuit: async (id = connection_id) => {
      const rows = await database.query(
        `select * from connection_circuits where organization_id = $1 and connection_id = $2`,
        [organization_id, id]
      )
      return rows[0]
    },
    spend: () => database.query(`select * from evaluation_spend order by day, rule_id`),
    start: (judge, overrides = {}) => startTestWorker(database, published, { judge, ...overrides })
  }
}

function startTestWorker(
  database: TestDatabase,
  published: Evaluation[],
  overrides: Partial<WorkerOptions> & Pick<WorkerOptions, 'judge'>
): TestWorker {
  const alive = { isKilled: false }
  const connection = connect(database)
  const postgres = mortal(connection, alive)
  const metrics = createMetrics()
  const stopWorker = startWorker({
    ...{ postgres, metrics, concurrencyMax: 8, drainMs: 5000, leaseMs, builtIn: [] },
    logger: createLogger({ level: 'silent', process: 'test' }),
    isOwnCall: ({ metadata }) => metadata?.includes('sluice.evaluation') === true,
    evaluate: (_version, _decision, run_id) => scored({ run_id }).result,
    publish: (evaluations) => {
      if (alive.isKilled) return Promise.reject(new TypeError('killed'))
      published.push(...evaluations)
      return Promise.resolve()
    },
    ...overrides
  })
  async function endWorker(): Promise<void> {
    await stopWorker()
    await connection.close()
  }
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= endWorker())
  onEnd(stop)
  return {
    stop,
    kill: () => {
      alive.isKilled = true
      return stop()
    },
    metricsText: async () => (await metrics.expose()).text
  }
}

/** Wraps Postgres so that all statements of a killed worker fail, even within a transaction. */
function mortal(postgres: Postgres, alive: { readonly isKilled: boolean }): Postgres {
  const guard: Postgres['query'] = (statement, values) => {
    if (alive.isKilled) return Promise.reject(new TypeError('killed'))
    return postgres.query(statement, values)
  }
  return {
    ...{ query: guard, close: () => postgres.close() },
    transaction: (work) => {
      if (alive.isKilled) return Promise.reject(new TypeError('killed'))
      return postgres.transaction(async (transaction) => {
        const result = await work({
          query: (statement, values) => {
            if (alive.isKilled) return Promise.reject(new TypeError('killed'))
            return transaction.query(statement, values)
          }
        })
        if (alive.isKilled) throw new TypeError('killed')
        return result
      })
    }
  }
}

function connect({ url }: TestDatabase): Postgres {
  const limits = { connectionsMax: 4, statementTimeoutMs: 10_000 }
  const postgres = createPostgres({ url, applicationName: 'test', ...limits })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= postgres.close())
  onEnd(close)
  return { ...postgres, close }
}

const whereKey = `organization_id = $1 and decision_id = $2 and run_id = $3`

function keyOf({ organization_id, decision_id, run_id }: RunKey): string[] {
  return [organization_id, decision_id, run_id]
}

/**
 * Finds the published run of the key.
 * @throws if it was published with two different results
 */
function runIn(published: readonly Evaluation[], key: RunKey): LaterRun | undefined {
  const runs = published
    .flatMap((each) => each.later_runs)
    .filter(({ run_id }) => run_id === key.run_id)
  const ends = new Set(runs.map((run) => JSON.stringify(run)))
  if (ends.size > 1) throw new Error(`${key.run_id} ended twice: ${[...ends].join(' and ')}`)
  return runs[0]
}

async function insert(
  database: TestDatabase,
  table: string,
  row: Readonly<Record<string, unknown>>
): Promise<void> {
  const names = Object.keys(row)
  const places = names.map((_, index) => `$${index + 1}`)
  await database.query(
    `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})`,
    Object.values(row)
  )
}
