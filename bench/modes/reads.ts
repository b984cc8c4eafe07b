/** How long reads take with a month of decisions in the store, one after the other and warm. */
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { logIn, startApiGateway } from '../system/api-gateway.ts'
import { fillConnections, fillStore } from '../fill-store.ts'
import { createHistogram } from '../load/histogram.ts'
import { markdownTable } from '../report/markdown.ts'
import { askLogins } from '../login-times.ts'
import type { LoginTimes } from '../login-times.ts'
import { openPostgres } from '../system/open-postgres.ts'
import type { Outcome } from '../report/outcome.ts'
import { readRequests } from '../read-requests.ts'
import type { ReadRequest } from '../read-requests.ts'
import type { Session } from '../session.ts'

const days = 30
const agents = 50
const warmUpRequests = 20
const requestsEach = 200
const statementTimeoutMs = 900_000
/** Milliseconds below which 95 of 100 requests of a goal's line lie. */
const goalMs = 100

interface Line {
  readonly what: string
  readonly isGoal: boolean
  readonly requests: number
  /** Answers with another status than 200. */
  readonly failed: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly p99_ms: number
}

export async function runReads(session: Session): Promise<Outcome> {
  const { bench, options, say } = session
  const postgres = openPostgres(bench, { statementTimeoutMs, connectionsMax: fillConnections })
  const { decisions } = options
  const [organization] = await postgres.query<{ organization_id: string }>(
    'select organization_id from organizations limit 1'
  )
  const organizationId = organization?.organization_id ?? ''
  const filling = { organizationId, decisions, days, agents, say }
  await fillStore(postgres, filling, systemClock.now())
  const bytes = await sizeOf(postgres)
  say(`  ${decisions} decisions are in the store: ${Math.round(bytes / 2 ** 20)} MiB`)

  const url = await startApiGateway(bench)
  const token = await logIn(url)
  const lines: Line[] = []
  for (const one of await readRequests(postgres)) {
    bench.signal.throwIfAborted()
    const line = await measure(one, { url, token })
    lines.push(line)
    say(`  ${cellsOf(line).join(' | ')}`)
  }
  const logins = await askLogins(url)
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

async function measure(
  { what, isGoal, pathOf }: ReadRequest,
  { url, token }: { url: string; token: string }
): Promise<Line> {
  const latencies = createHistogram()
  let failed = 0
  for (let index = -warmUpRequests; index < requestsEach; index++) {
    const startedAt = performance.now()
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}${pathOf(Math.abs(index))}`, { headers })
    await response.arrayBuffer()
    if (index < 0) continue
    latencies.record(performance.now() - startedAt)
    if (response.status !== 200) failed += 1
  }
  const [p50_ms, p95_ms, p99_ms] = [0.5, 0.95, 0.99].map((share) => latencies.percentileMs(share))
  return {
    ...{ what, isGoal, requests: requestsEach, failed },
    ...{ p50_ms: p50_ms ?? 0, p95_ms: p95_ms ?? 0, p99_ms: p99_ms ?? 0 }
  }
}

interface Figures {
  readonly decisions: number
  readonly database_bytes: number
  readonly lines: readonly Line[]
  readonly logins: LoginTimes
}

function pageOf({ decisions, database_bytes, lines, logins }: Figures): string[] {
  const heads = ['read', 'goal', 'p50 ms', 'p95 ms', 'p99 ms']
  const size = (database_bytes / 2 ** 30).toFixed(1)
  return [
    markdownTable(heads, lines.map(cellsOf), 2),
    '',
    `${decisions} decisions of ${agents} agents in ${days} days, with a run and two scores each: ` +
      `${size} GiB. Each line is ${requestsEach} requests, one after the other, with other ` +
      `parameters each. The goal is a p95 of at most ${goalMs} ms.`,
    '',
    `A login with a wrong password takes ${logins.known_ms.toFixed(1)} ms (median of ` +
      `${logins.times}) where the account exists, and ${logins.unknown_ms.toFixed(1)} ms where ` +
      'there is none: either way one password hash is computed.'
  ]
}

function cellsOf({ what, isGoal, p50_ms, p95_ms, p99_ms, failed }: Line): string[] {
  const outcome = failed > 0 ? `${failed} failed` : p95_ms <= goalMs ? 'met' : 'missed'
  return [
    what,
    isGoal || failed > 0 ? outcome : '–',
    ...[p50_ms, p95_ms, p99_ms].map((ms) => ms.toFixed(1))
  ]
}
