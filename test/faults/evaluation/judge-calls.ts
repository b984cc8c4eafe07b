/** Holds the log of the judge server against the attempts that are on record. */
import type { JudgeEvent } from '../../support/judge-server.ts'
import type { AttemptRow, EvaluationEvidence } from './evidence.ts'
import type { EvaluationRunLine } from './ledger-line.ts'

export interface CallVerdict {
  readonly calls: number
  /** Runs of the judge that are stored. */
  readonly judgedRuns: number
  /** Calls beyond the first of a run. */
  readonly extraCalls: number
  /** Calls beyond the first whose run shows why: the attempt before ended without a score. */
  readonly retriesOnRecord: number
  readonly kills: number
  /** Calls that were in flight when their process was killed: their attempts never end. */
  readonly cutByKill: number
  /** Attempts that never end, and whose call was not begun. */
  readonly cutBeforeCall: number
  /** Calls of a run behind its end. */
  readonly calledAfterEnd: readonly string[]
  /** Calls without an attempt on record, or a second one in an attempt. */
  readonly notOnRecord: readonly string[]
  /** Attempts with a call that never end, though nobody was killed then. */
  readonly unexplained: readonly string[]
  /** Runs that were scored more than once. */
  readonly scoredTwice: readonly string[]
  /** Runs with a score of which the server knows nothing. */
  readonly scoredWithoutCall: readonly string[]
}

interface Call {
  readonly run_id: string
  readonly at: number
}

/** An attempt with the calls that began in its time. */
interface AttemptCalls {
  readonly attempt: AttemptRow
  readonly calls: readonly Call[]
  /** When the next one began; Infinity for the last. */
  readonly until: number
}

export function judgeCalls(evidence: EvaluationEvidence, run: EvaluationRunLine): CallVerdict {
  const { ledger, calls: events, attempts, stored, published } = evidence
  const calls = events.filter(isBegun).map(({ run_id, at }) => ({ run_id: run_id ?? '', at }))
  const byRun = Map.groupBy(calls, ({ run_id }) => run_id)
  const attemptsByRun = Map.groupBy(attempts, ({ run_id }) => run_id)
  const isJudged = ({ evaluator_id }: { evaluator_id: string }): boolean =>
    evaluator_id === run.judged.evaluator_id
  const ends = new Map(published.filter(isJudged).map((end) => [end.run_id, end.endedAt]))
  const judged = stored.filter(isJudged)
  const matched = [...attemptsByRun].flatMap(([run_id, own]) =>
    matchedOf(own, byRun.get(run_id) ?? [])
  )
  const kills = ledger.filter((line) => line.line === 'kill').map(({ at }) => at)
  const unfinished = matched.filter(({ attempt }) => attempt.finishedAt === null)
  const called = unfinished.filter((each) => each.calls.length > 0)
  return {
    calls: calls.length,
    judgedRuns: judged.length,
    extraCalls: calls.length - byRun.size,
    retriesOnRecord: matched.filter(
      ({ attempt, calls: own }) =>
        own.length > 0 && attempt.finishedAt !== null && attempt.outcome !== 'scored'
    ).length,
    kills: kills.length,
    cutByKill: called.length,
    cutBeforeCall: unfinished.length - called.length,
    calledAfterEnd: calls
      .filter(({ run_id, at }) => at > (ends.get(run_id) ?? Infinity))
      .map(({ run_id }) => run_id),
    notOnRecord: notOnRecord(byRun, matched),
    unexplained: called.filter((each) => !isKilled(each, kills)).map(nameOf),
    scoredTwice: [...attemptsByRun]
      .filter(([, own]) => own.filter(({ outcome }) => outcome === 'scored').length > 1)
      .map(([run_id]) => run_id),
    scoredWithoutCall: judged
      .filter(({ run_id, status }) => status === 'succeeded' && !byRun.has(run_id))
      .map(({ run_id }) => run_id)
  }
}

function isBegun({ event, run_id }: JudgeEvent): boolean {
  return event === 'began' && run_id !== null
}

/** An attempt is on record before its call begins, on the same clock. */
function matchedOf(attempts: readonly AttemptRow[], calls: readonly Call[]): AttemptCalls[] {
  const inOrder = attempts.toSorted((one, other) => one.attempt - other.attempt)
  return inOrder.map((attempt, index) => {
    const until = inOrder[index + 1]?.startedAt ?? Infinity
    const own = calls.filter(({ at }) => at >= attempt.startedAt && at < until)
    return { attempt, calls: own, until }
  })
}

function notOnRecord(
  byRun: ReadonlyMap<string, readonly Call[]>,
  matched: readonly AttemptCalls[]
): string[] {
  const found = Map.groupBy(matched, ({ attempt }) => attempt.run_id)
  const unmatched = [...byRun].filter(([run_id, calls]) => {
    const own = (found.get(run_id) ?? []).reduce((sum, each) => sum + each.calls.length, 0)
    return own !== calls.length
  })
  const twice = matched.filter(({ calls }) => calls.length > 1)
  return [...unmatched.map(([run_id]) => run_id), ...twice.map(nameOf)]
}

/** Between the beginning of its call and the next attempt somebody was killed. */
function isKilled({ calls, until }: AttemptCalls, kills: readonly number[]): boolean {
  const [call] = calls
  return call !== undefined && kills.some((at) => at >= call.at && at <= until)
}

function nameOf({ attempt }: AttemptCalls): string {
  return `${attempt.run_id}, attempt ${attempt.attempt}`
}
