/** Holds plans, runs and calls of a run against what clients sent and what the hash says. */
import { hash } from 'node:crypto'
import type { Identity } from '../storage/ledger-line.ts'
import type { EndedRun, EvaluationEvidence, RunName } from './evidence.ts'
import { judgeCalls } from './judge-calls.ts'
import type { CallVerdict } from './judge-calls.ts'
import type { EvaluationRunLine, PlannedBy } from './ledger-line.ts'

/** Lists name what is wrong; an empty list is a promise kept. */
export interface EvaluationVerdict extends CallVerdict {
  readonly attempts: number
  readonly acknowledged: number
  /** Different decisions on the topic. */
  readonly decisions: number
  /** Decisions that the hash takes for the judge. */
  readonly sampled: number
  /** Messages that were settled and delivered again. */
  readonly deliveredAgain: number
  /** Runs of all plans together, and those that are stored or open. */
  readonly planned: number
  readonly accounted: number
  /** Records of a run beyond its first. */
  readonly publishedAgain: number
  /** Acknowledged, and not on the topic. */
  readonly missingFromTopic: readonly string[]
  /** On the topic without a plan, or with one of another size or sampling than the hash says. */
  readonly planAmiss: readonly string[]
  readonly unaccounted: readonly string[]
  readonly stillOpen: readonly string[]
  /** Planned and not stored. */
  readonly missingRuns: readonly string[]
  readonly storedTwice: readonly string[]
  /** Stored, and nobody planned them. */
  readonly strangers: readonly string[]
  readonly missingFromEvaluations: readonly string[]
  /** Runs that ended in two ways, on the topic or there and in the table. */
  readonly endedTwice: readonly string[]
  /** Judged runs without a score, and offline ones that failed. */
  readonly lost: readonly string[]
}

export function judgeEvaluation(evidence: EvaluationEvidence): EvaluationVerdict {
  const { ledger, decisions, plans, stored, open, published } = evidence
  const run = ledger.find((line) => line.line === 'evaluation_run')
  if (run === undefined) throw new Error('the ledger does not say which run it is')
  const onTopic = new Set(decisions)
  const attempts = ledger.filter((line) => line.line === 'attempt')
  const acknowledged = new Set(
    attempts.filter(({ outcome }) => outcome === 'acknowledged').map(({ identity }) => identity)
  )
  const planned = plans.reduce((sum, { runs }) => sum + runs, 0)
  const accounted = stored.length + open.length
  const again = ledger.filter((line) => line.line === 'delivered_again')
  return {
    attempts: attempts.length,
    acknowledged: acknowledged.size,
    decisions: onTopic.size,
    sampled: [...onTopic].filter((identity) => isJudged(run, identity)).length,
    deliveredAgain: again.reduce((sum, { messages }) => sum + messages, 0),
    ...{ planned, accounted },
    publishedAgain: published.length - new Set(published.map(nameOf)).size,
    missingFromTopic: [...acknowledged].filter((identity) => !onTopic.has(identity)),
    planAmiss: planAmiss(evidence, run, onTopic),
    unaccounted: planned === accounted ? [] : [`${planned} planned, ${accounted} accounted`],
    stillOpen: open.map(nameOf),
    ...judgeRuns(evidence, run, onTopic),
    ...judgeCalls(evidence, run)
  }
}

/** The promises that broke, with what shows it. */
export function brokenEvaluationPromises(
  verdict: EvaluationVerdict
): Record<string, readonly string[]> {
  const lists = Object.entries(verdict).filter(
    (entry): entry is [string, readonly string[]] => Array.isArray(entry[1]) && entry[1].length > 0
  )
  return Object.fromEntries(lists)
}

/** Told anew from what docs say: the first 53 bits of the hash, as a share of 1. */
export function isJudged({ judged }: EvaluationRunLine, identity: Identity): boolean {
  const decisionId = identity.slice(identity.indexOf('/') + 1)
  const digits = hash('sha256', `${judged.cohort}\0${decisionId}`, 'hex')
  const bits = BigInt(`0x${digits}`) >> BigInt(256 - 53)
  return Number(bits) / 2 ** 53 < judged.rate
}

function plannedBy(run: EvaluationRunLine, identity: Identity): readonly PlannedBy[] {
  return isJudged(run, identity) ? [...run.offline, run.judged] : run.offline
}

function planAmiss(
  { plans }: EvaluationEvidence,
  run: EvaluationRunLine,
  onTopic: ReadonlySet<Identity>
): string[] {
  const rows = new Map(plans.map((plan) => [plan.identity, plan]))
  const amiss = [...onTopic].filter((identity) => {
    const plan = rows.get(identity)
    const isSampledOut = plan?.outcomes.includes('sampled_out') ?? false
    const isRight = plan?.runs === plannedBy(run, identity).length
    return !isRight || isSampledOut === isJudged(run, identity)
  })
  return [...amiss, ...plans.map(({ identity }) => identity).filter((each) => !onTopic.has(each))]
}

function nameOf({ identity, rule_id, evaluator_id }: Omit<RunName, 'run_id'>): string {
  return `${identity} ${rule_id} ${evaluator_id}`
}

function judgeRuns(
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
    strangers: [...rows.keys()].filter((name) => !expected.has(name)),
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

/** What costs a call is the same to the last score; what is computed anew ends the same way. */
function isOneEnd(ends: readonly EndedRun[], isJudge: (run: EndedRun) => boolean): boolean {
  const said = ends.map((end) => {
    const { run_id, status, status_reason } = end
    const scores = isJudge(end) ? end.scores : ''
    return JSON.stringify([run_id, status, status_reason, scores])
  })
  return new Set(said).size <= 1
}
