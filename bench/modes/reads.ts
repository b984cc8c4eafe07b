/** `--reads`: measures sequential reads with a month of decisions in Postgres. */
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { logIn, startApiGateway } from '../system/api-gateway.ts'
import { familyMicroseconds } from '../system/cpu.ts'
import { fillConnections, fillDatabase } from '../fill-database.ts'
import { createHistogram } from '../load/histogram.ts'
import { markdownTable } from '../report/markdown.ts'
import { measureLogins } from '../login-times.ts'
import type { LoginTimes } from '../login-times.ts'
import { openPostgres } from '../system/open-postgres.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { readRequests } from '../read-requests.ts'
import type { ReadRequest } from '../read-requests.ts'
import type { Session } from '../session.ts'

const days = 30
const agents = 50
const warmUpRequests = 20
const requestsEach = 200
const statementTimeoutMs = 900_000
/** Goal: maximum p95 in milliseconds, for requests with `isGoal`. */
const goalMs = 100

interface Line {
  readonly what: string
  readonly isGoal: boolean
  readonly requests: number
  /** Number of responses with a status other than 200. */
  readonly failed: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly p99_ms: number
  /** CPU time per read. */
  readonly gateway_us: number
  readonly postgres_us: number
}

export async function runReads(session: Session): Promise<BenchResult> {
  const { bench, options, say } = session
  const postgres = openPostgres(bench, { statementTimeoutMs, connectionsMax: fillConnections })
  const { decisions } = options
  const [organization] = await postgres.query<{ organization_id: string }>(
    'select organization_id from organizations limit 1'
  )
  const organizationId = organization?.organization_id ?? ''
  const filling = { organizationId, decisions, days, agents, say }
  await fillDatabase(postgres, filling, systemClock.now())
  const bytes = await sizeOf(postgres)
  say(`  ${decisions} decisions are in Postgres: ${Math.round(bytes / 2 ** 20)} MiB`)

  const { url, pids } = await startApiGateway(bench)
  const token = await logIn(url)
  const lines: Line[] = []
  for (const one of await readRequests(postgres)) {
    bench.signal.throwIfAborted()
    const line = await measure(one, {
      url,
      token,
      gatewayPids: pids,
      postgresPid: bench.servicePid('postgres')
    })
    lines.push(line)
    say(`  ${cellsOf(line).join(' | ')}`)
  }
  const logins = await measureLogins(url)
  const figures = { decisions, days, agents, database_bytes: bytes, lines, logins }
  const isComplete = lines.every(({ failed }) => failed === 0)
  return { isComplete, page: pageOf(figures), figures }
}

async function sizeOf(postgres: Postgres): Promise<number> {
  const [row] = await postgres.query<{ bytes: number }>(
    'select pg_database_size(current_database()) as bytes'
  )
  return row?.bytes ?? 0
}

interface Target {
  readonly url: string
  readonly token: string
  readonly gatewayPids: readonly number[]
  readonly postgresPid: number
}

async function measure({ what, isGoal, pathOf }: ReadRequest, target: Target): Promise<Line> {
  const { url, token, gatewayPids, postgresPid } = target
  const cpuTimes = () => [familyMicroseconds(gatewayPids), familyMicroseconds([postgresPid])]
  const latencies = createHistogram()
  let failed = 0
  let before: readonly number[] = []
  for (let index = -warmUpRequests; index < requestsEach; index++) {
    if (index === 0) before = cpuTimes()
    const startedAt = performance.now()
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}${pathOf(Math.abs(index))}`, { headers })
    await response.arrayBuffer()
    if (index < 0) continue
    latencies.record(performance.now() - startedAt)
    if (response.status !== 200) failed += 1
  }
  const [gateway_us, postgres_us] = cpuTimes().map(
    (after, at) => (after - (before[at] ?? 0)) / requestsEach
  )
  const [p50_ms, p95_ms, p99_ms] = [0.5, 0.95, 0.99].map((share) => latencies.percentileMs(share))
  return {
    what,
    isGoal,
    requests: requestsEach,
    failed,
    p50_ms: p50_ms ?? 0,
    p95_ms: p95_ms ?? 0,
    p99_ms: p99_ms ?? 0,
    gateway_us: gateway_us ?? 0,
    postgres_us: postgres_us ?? 0
  }
}

interface Figures {
  readonly decisions: number
  readonly database_bytes: number
  readonly lines: readonly Line[]
  readonly logins: LoginTimes
}

function pageOf({ decisions, database_bytes, lines, logins }: Figures): string[] {
  const heads = ['read', 'goal', 'p50 ms', 'p95 ms', 'p99 ms', 'gateway CPU-ms', 'Postgres CPU-ms']
  const size = (database_bytes / 2 ** 30).toFixed(1)
  return [
    markdownTable(heads, lines.map(cellsOf), 2),
    '',
    `${decisions} decisions of ${agents} agents in ${days} days, with two runs and two scores ` +
      `each: ${size} GiB. Each line has ${requestsEach} consecutive requests with different ` +
      `parameters. The goal is a p95 of at most ${goalMs} ms.`,
    '',
    `A login with a wrong password takes ${logins.known_ms.toFixed(1)} ms (median of ` +
      `${logins.times}) if the account exists, and ${logins.unknown_ms.toFixed(1)} ms if not: ` +
      'either way one password hash is computed.'
  ]
}

function cellsOf(line: Line): string[] {
  const { what, isGoal, p50_ms, p95_ms, p99_ms, failed } = line
  const cpuTimes = [line.gateway_us / 1000, line.postgres_us / 1000]
  const outcome = failed > 0 ? `${failed} failed` : p95_ms <= goalMs ? 'met' : 'missed'
  return [
    what,
    isGoal || failed > 0 ? outcome : '–',
    ...[p50_ms, p95_ms, p99_ms, ...cpuTimes].map((ms) => ms.toFixed(1))
  ]
}
