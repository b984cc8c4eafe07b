/** Compares the expectations of a conformance case with the requests and output of the SDK. */
import type { Expectations, Members } from './conformance-case.ts'
import { faultsOfDecision } from './expected-decision.ts'
import { differencesOf } from './match.ts'
import type { CaseRun } from './case-run.ts'
import type { SeenRequest } from './scripted-server.ts'

type Check<Name extends keyof Expectations> = (
  expected: NonNullable<Expectations[Name]>,
  run: CaseRun
) => string[]

const path = '/v1/ingest/batch'

const checks: { readonly [Name in keyof Required<Expectations>]: Check<Name> } = {
  held: faultsOfHeld,
  requests: (expected, { server }) =>
    differencesOf(expected, server.requests.length, { path: 'requests' }),
  connections: (expected, { server }) =>
    differencesOf(expected, server.connections(), { path: 'connections' }),
  request: (expected, { server }) =>
    expected.flatMap(({ nth, ...members }) => {
      const seen = server.requests[nth - 1]
      const shown = seen === undefined ? undefined : shownOf(seen)
      return differencesOf(members, shown, { path: `request ${nth}` })
    }),
  gaps: faultsOfGaps,
  decisions: (expected, run) => expected.flatMap((decision) => faultsOfDecision(decision, run)),
  stats: (expected, { stats }) => differencesOf(expected, stats, { path: 'stats' }),
  dropped: (expected, { stats }) => {
    const drops = Object.entries((stats?.['dropped'] ?? {}) as Record<string, number>)
    const counted = Object.fromEntries(drops.filter(([, count]) => count !== 0))
    return differencesOf(expected, counted, { path: 'dropped', strictness: 'exact' })
  },
  client_report: (expected, { server }) => {
    const dropped: Record<string, number> = {}
    for (const [reason, count] of server.reports.flatMap((each) => Object.entries(each.dropped))) {
      dropped[reason] = (dropped[reason] ?? 0) + count
    }
    return differencesOf(expected, dropped, { path: 'client_report', strictness: 'exact' })
  },
  strays: (expected, { server, case: { options = {} } }) => {
    const base = ((options['base_url'] as string | undefined) ?? '').replace(/^\{server\}/, '')
    const right = base.replace(/\/$/, '') + path
    const strays = server.requests.filter((request) => request.path !== right)
    return differencesOf(expected, strays.length, { path: 'strays' })
  },
  stderr: ({ has = [], lacks = [] }, { driver }) => {
    const said = driver.stderr()
    const isSaid = (pattern: string): boolean => new RegExp(pattern, 'imu').test(said)
    return [
      ...has.filter((each) => !isSaid(each)).map((each) => `stderr lacks ${each}: ${said}`),
      ...lacks.filter(isSaid).map((each) => `stderr has ${each}: ${said}`)
    ]
  },
  stderr_lines: (expected, { driver }) => {
    const lines = driver.stderr().match(/^sluice: /gm)?.length ?? 0
    const faults = differencesOf(expected, lines, { path: 'stderr_lines' })
    return faults.map((fault) => `${fault}: ${driver.stderr()}`)
  },
  exit: (expected, { exit, driver }) => {
    const shown = { ...exit, elapsed_ms: exit?.elapsedMs }
    const faults = differencesOf(expected, shown, { path: 'exit' })
    return faults.map((fault) => `${fault}: ${driver.stderr().slice(-1000)}`)
  },
  whole_sessions: (expected, { server }) => {
    const counts = new Map<unknown, number>()
    for (const { text } of server.held.values()) {
      const { session_id } = JSON.parse(text) as Members
      counts.set(session_id, (counts.get(session_id) ?? 0) + 1)
    }
    const broken = [...counts].filter(([, count]) => count !== expected)
    return broken.length === 0 ? [] : [`${broken.length} sessions are not whole`]
  },
  sent_or_said: (expected, { server, driver }) => {
    const said = /^sluice: (\d+) decisions were not sent/mu.exec(driver.stderr())?.[1] ?? 0
    const path = `the sum of stored decisions and those reported (${said})`
    return differencesOf(expected, server.held.size + Number(said), { path })
  },
  single_members: (_, { server }) =>
    server.requests.flatMap(({ text }) =>
      countNames(text) === countNames(JSON.stringify(JSON.parse(text)))
        ? []
        : [`a name is duplicated in ${text.slice(0, 300)}`]
    )
}

export function findFaults(run: CaseRun): string[] {
  const expected = { strays: 0, ...run.case.expect }
  return Object.entries(expected).flatMap(([name, value]) => {
    const check = checks[name as keyof Expectations] as (value: unknown, run: CaseRun) => string[]
    return check(value, run)
  })
}

/**
 * Counts the member names in a JSON text. It would also count a quote and a colon within a string,
 * but no string in the cases contains them.
 */
function countNames(text: string): number {
  return text.match(/"\s*:/gu)?.length ?? 0
}

function shownOf(seen: SeenRequest): Members {
  const { path, headers, connection, status, isGzip: gzip, bytes, client_report } = seen
  const attempt = Number(headers['x-attempt'])
  const items = seen.items.length
  return { path, headers, connection, status, gzip, bytes, client_report, attempt, items }
}

function faultsOfHeld(expected: NonNullable<Expectations['held']>, run: CaseRun): string[] {
  const { server, ids } = run
  if (typeof expected === 'number' || (typeof expected === 'object' && !Array.isArray(expected))) {
    return differencesOf(expected, server.held.size, { path: 'held' })
  }
  const wanted = expected === 'all' ? ids : (expected as readonly number[]).map((nth) => ids[nth])
  const missing = wanted.filter((id) => id === undefined || !server.held.has(id))
  const extra = server.held.size - (wanted.length - missing.length)
  return [
    ...(missing.length === 0
      ? []
      : [`${missing.length} of ${wanted.length} decisions are not stored: ${String(missing[0])}`]),
    ...(extra === 0 ? [] : [`${extra} unexpected decisions are stored`])
  ]
}

/** Checks the time between the end of one request and the start of the next. */
function faultsOfGaps(
  { between = [], longest, spread }: NonNullable<Expectations['gaps']>,
  { server: { requests } }: CaseRun
): string[] {
  const gaps = requests
    .slice(1)
    .map(({ beganAt }, index) => beganAt - (requests[index]?.endedAt ?? Infinity))
  const most = Math.max(...gaps)
  return [
    ...between.flatMap(({ before, ...expected }) =>
      differencesOf(expected, gaps[before - 2], { path: `the pause before request ${before}` })
    ),
    ...(longest === undefined ? [] : differencesOf(longest, most, { path: 'the longest pause' })),
    ...(spread === undefined
      ? []
      : differencesOf(spread, most - Math.min(...gaps), { path: 'the spread of pauses' }))
  ]
}
