/** Joins the plan, the runs and the scores of a decision into lines. */
import type { EvaluationBody, PlanEntryBody } from '../../api/wire.ts'
import { formatScore } from '../../text/format.ts'

interface ScoreLine {
  readonly name: string
  readonly value: string
  /** Null if the score neither passes nor fails. */
  readonly verdict: 'pass' | 'fail' | null
  readonly reason: string | null
}

export interface PlanLine {
  readonly key: string
  readonly rule: string
  readonly evaluator: string | null
  readonly version: number | null
  readonly outcome: string
  readonly reason: string | null
  readonly durationUs: number | null
  readonly score: ScoreLine | null
}

type Scores = EvaluationBody['scores']
type ScoreView = Scores[string]['other_sources'][string]

/** Returns one line for each score, and one for each entry of the plan that has no score. */
export function linesOf({ plan, runs, scores }: EvaluationBody): readonly PlanLine[] {
  const named = Object.entries(scores).flatMap(([name, score]) =>
    [score, ...Object.values(score.other_sources)].map((view) => ({ name, view }))
  )
  const durations = new Map(runs.map(({ run_id, duration_us }) => [run_id, duration_us]))
  const planned = plan.flatMap((entry) => {
    const found = named.filter(({ view }) => view.run_id === entry.run_id)
    const durationUs = durations.get(entry.run_id ?? '') ?? null
    const line = lineOf(entry, durationUs)
    if (found.length === 0) return [line]
    return found.map(({ name, view }) => {
      return { ...line, key: `${line.key} ${name}`, score: scoreOf(name, view) }
    })
  })
  const plannedIds = new Set(plan.map(({ run_id }) => run_id))
  const pushed = named.filter(({ view }) => !plannedIds.has(view.run_id))
  return [...planned, ...pushed.map(({ name, view }) => pushedLineOf(name, view))]
}

function lineOf(entry: PlanEntryBody, durationUs: number | null): PlanLine {
  const { rule, evaluator, evaluator_version: version, outcome, reason } = entry
  const key = `${entry.rule_id} ${rule} ${entry.evaluator_id} ${evaluator} ${entry.run_id}`
  return { key, rule, evaluator, version, outcome, reason, durationUs, score: null }
}

/** Returns the line of a score that no rule planned: pushed by a program, or given by a human. */
function pushedLineOf(name: string, view: ScoreView): PlanLine {
  return {
    key: `${view.score_id} ${name}`,
    rule: view.source_kind.replaceAll('_', ' '),
    evaluator: null,
    version: null,
    outcome: 'received',
    reason: null,
    durationUs: null,
    score: scoreOf(name, view)
  }
}

function scoreOf(name: string, { value, label, passed, reason }: ScoreView): ScoreLine {
  const verdict = passed === null ? null : passed ? 'pass' : 'fail'
  return { name, value: formatScore({ label, value }), verdict, reason }
}
