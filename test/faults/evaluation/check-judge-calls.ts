/** Compares the calls in the judge server's log with the attempts that Sluice recorded. */
import type { JudgeEvent } from '../../support/judge-server.ts'
import type { AttemptRow, EvaluationEvidence } from './evidence.ts'
import type { EvaluationRunLine } from './ledger-line.ts'

export interface JudgeCallReport {
  readonly calls: number
  /** Number of stored runs that use a judge. */
  readonly judgedRuns: number
  /** Number of calls other than the first one of each run. */
  readonly extraCalls: number
  /** Number of recorded attempts that called the judge but ended without a score. */
  readonly recordedRetries: number
  readonly kills: number
  /**
   * Number of attempts that called the judge but never ended, usually because the process was
   * killed.
   */
  readonly cutByKill: number
  /** Number of attempts that never ended and never called the judge. */
  readonly cutBeforeCall: number
  /** Runs that called the judge after they had ended. */
  readonly calledAfterEnd: readonly string[]
  /** Runs with a call outside any recorded attempt, or with several calls in one attempt. */
  readonly notRecorded: readonly string[]
  /**
   * Attempts that called the judge and never ended, although no process was killed before the next
   * attempt.
   */
  readonly unexplained: readonly string[]
  readonly scoredTwice: readonly string[]
  /** Runs with a score but without a call. */
  readonly scoredWithoutCall: readonly string[]
}

interface Call {
  readonly run_id: string
  readonly at: number
}

/** Attempt and the calls that began during it. */
interface AttemptCalls {
  readonly attempt: AttemptRow
  readonly calls: readonly Call[]
  /** Start of the next attempt; Infinity for the last one. */
  readonly until: number
}

export function checkJudgeCalls(
  evidence: EvaluationEvidence,
  run: EvaluationRunLine
): JudgeCallReport {
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
    recordedRetries: matched.filter(
      ({ attempt, calls: own }) =>
        own.length > 0 && attempt.finishedAt !== null && attempt.outcome !== 'scored'
    ).length,
    kills: kills.length,
    cutByKill: called.length,
    cutBeforeCall: unfinished.length - called.length,
    calledAfterEnd: calls
      .filter(({ run_id, at }) => at > (ends.get(run_id) ?? Infinity))
      .map(({ run_id }) => run_id),
    notRecorded: notRecorded(byRun, matched),
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

/**
 * Assigns calls to attempts by time. Calls and attempts are timed by the same clock, and each
 * attempt is recorded before its call.
 */
function matchedOf(attempts: readonly AttemptRow[], calls: readonly Call[]): AttemptCalls[] {
  const inOrder = attempts.toSorted((one, other) => one.attempt - other.attempt)
  return inOrder.map((attempt, index) => {
    const until = inOrder[index + 1]?.startedAt ?? Infinity
    const own = calls.filter(({ at }) => at >= attempt.startedAt && at < until)
    return { attempt, calls: own, until }
  })
}

function notRecorded(
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

/** Checks whether a process was killed between the call and the next attempt. */
function isKilled({ calls, until }: AttemptCalls, kills: readonly number[]): boolean {
  const [call] = calls
  return call !== undefined && kills.some((at) => at >= call.at && at <= until)
}

function nameOf({ attempt }: AttemptCalls): string {
  return `${attempt.run_id}, attempt ${attempt.attempt}`
}
