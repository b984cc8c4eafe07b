/** Compares plans, runs and judge calls with the decisions that clients sent. */
import { hash } from 'node:crypto'
import type { Identity } from '../storage/ledger-line.ts'
import type { EndedRun, EvaluationEvidence, RunName } from './evidence.ts'
import { checkJudgeCalls } from './check-judge-calls.ts'
import type { JudgeCallReport } from './check-judge-calls.ts'
import type { EvaluationRunLine, PlannedBy } from './ledger-line.ts'

/** Result of the checks. Each list contains violations of one guarantee. */
export interface EvaluationReport extends JudgeCallReport {
  readonly attempts: number
  readonly acknowledged: number
  readonly decisions: number
  /** Number of decisions that the sampling hash selects for the judge. */
  readonly sampled: number
  /** Number of messages that were delivered again after their offset had been committed. */
  readonly redelivered: number
  /** Number of runs in all plans. `accounted` is the number of runs that are stored or pending. */
  readonly planned: number
  readonly accounted: number
  /** Number of published runs that repeat an earlier one. */
  readonly publishedAgain: number
  readonly missingFromTopic: readonly string[]
  /**
   * Decisions without a plan, with a plan of the wrong size, or with wrong sampling, and decisions
   * with a plan that are not on the topic.
   */
  readonly wrongPlans: readonly string[]
  readonly unaccounted: readonly string[]
  readonly stillOpen: readonly string[]
  readonly missingRuns: readonly string[]
  readonly storedTwice: readonly string[]
  readonly notPlanned: readonly string[]
  readonly missingFromEvaluations: readonly string[]
  /** Runs with two different results. */
  readonly endedTwice: readonly string[]
  /** Judged runs without a score, and offline runs that failed. */
  readonly lost: readonly string[]
}

export function checkEvaluation(evidence: EvaluationEvidence): EvaluationReport {
  const { ledger, decisions, plans, stored, open, published } = evidence
  const run = ledger.find((line) => line.line === 'evaluation_run')
  if (run === undefined) throw new Error('the ledger has no line that describes the run')
  const onTopic = new Set(decisions)
  const attempts = ledger.filter((line) => line.line === 'attempt')
  const acknowledged = new Set(
    attempts.filter(({ outcome }) => outcome === 'acknowledged').map(({ identity }) => identity)
  )
  const planned = plans.reduce((sum, { runs }) => sum + runs, 0)
  const accounted = stored.length + open.length
  const again = ledger.filter((line) => line.line === 'redelivered')
  return {
    attempts: attempts.length,
    acknowledged: acknowledged.size,
    decisions: onTopic.size,
    sampled: [...onTopic].filter((identity) => isJudged(run, identity)).length,
    redelivered: again.reduce((sum, { messages }) => sum + messages, 0),
    ...{ planned, accounted },
    publishedAgain: published.length - new Set(published.map(nameOf)).size,
    missingFromTopic: [...acknowledged].filter((identity) => !onTopic.has(identity)),
    wrongPlans: wrongPlans(evidence, run, onTopic),
    unaccounted: planned === accounted ? [] : [`${planned} planned, ${accounted} accounted`],
    stillOpen: open.map(nameOf),
    ...checkRuns(evidence, run, onTopic),
    ...checkJudgeCalls(evidence, run)
  }
}

/** Returns the non-empty violation lists by name. */
export function brokenEvaluationGuarantees(
  report: EvaluationReport
): Record<string, readonly string[]> {
  const lists = Object.entries(report).filter(
    (entry): entry is [string, readonly string[]] => Array.isArray(entry[1]) && entry[1].length > 0
  )
  return Object.fromEntries(lists)
}

/**
 * Checks whether the judge must evaluate a decision. Reimplements the documented sampling: the
 * first 53 bits of the hash, as a fraction, must be below the rate.
 */
export function isJudged({ judged }: EvaluationRunLine, identity: Identity): boolean {
  const decisionId = identity.slice(identity.indexOf('/') + 1)
  const digits = hash('sha256', `${judged.cohort}\0${decisionId}`, 'hex')
  const bits = BigInt(`0x${digits}`) >> BigInt(256 - 53)
  return Number(bits) / 2 ** 53 < judged.rate
}

function plannedBy(run: EvaluationRunLine, identity: Identity): readonly PlannedBy[] {
  return isJudged(run, identity) ? [...run.offline, run.judged] : run.offline
}

function wrongPlans(
  { plans }: EvaluationEvidence,
  run: EvaluationRunLine,
  onTopic: ReadonlySet<Identity>
): string[] {
  const rows = new Map(plans.map((plan) => [plan.identity, plan]))
  const wrong = [...onTopic].filter((identity) => {
    const plan = rows.get(identity)
    const isSampledOut = plan?.outcomes.includes('sampled_out') ?? false
    const isRight = plan?.runs === plannedBy(run, identity).length
    return !isRight || isSampledOut === isJudged(run, identity)
  })
  return [...wrong, ...plans.map(({ identity }) => identity).filter((each) => !onTopic.has(each))]
}

function nameOf({ identity, rule_id, evaluator_id }: Omit<RunName, 'run_id'>): string {
  return `${identity} ${rule_id} ${evaluator_id}`
}

function checkRuns(
  { stored, published }: EvaluationEvidence,
  run: EvaluationRunLine,
  onTopic: ReadonlySet<Identity>
) {
  const expected = new Set(
    [...onTopic].flatMap((identity) =>
      plannedBy(run, identity).map((by) => nameOf({ identity, ...by }))
    )
  )
  const rows = Map.groupBy(stored, nameOf)
  const records = Map.groupBy(published, nameOf)
  const isJudge = ({ evaluator_id }: EndedRun): boolean => evaluator_id === run.judged.evaluator_id
  return {
    missingRuns: [...expected].filter((name) => !rows.has(name)),
    storedTwice: [...rows].filter(([, same]) => same.length > 1).map(([name]) => name),
    notPlanned: [...rows.keys()].filter((name) => !expected.has(name)),
    missingFromEvaluations: [...rows.keys()].filter((name) => !records.has(name)),
    endedTwice: [...rows]
      .filter(([name, same]) => !isOneEnd([...same, ...(records.get(name) ?? [])], isJudge))
      .map(([name]) => name),
    lost: stored
      .filter((each) => (isJudge(each) ? each.status !== 'succeeded' : isOfflineLost(each)))
      .map((each) => `${nameOf(each)}: ${each.status} ${each.status_reason}`)
  }
}

const offlineEnds = new Set(['succeeded', 'skipped'])

function isOfflineLost({ status }: EndedRun): boolean {
  return !offlineEnds.has(status)
}

/**
 * Checks whether all copies of a run have the same result. Scores are compared only for judged
 * runs, because other runs are computed again when a message is redelivered.
 */
function isOneEnd(ends: readonly EndedRun[], isJudge: (run: EndedRun) => boolean): boolean {
  const said = ends.map((end) => {
    const { run_id, status, status_reason } = end
    const scores = isJudge(end) ? end.scores : ''
    return JSON.stringify([run_id, status, status_reason, scores])
  })
  return new Set(said).size <= 1
}
