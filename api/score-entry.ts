/** The scores of a decision by name: what the machine says, what people say, and what counts. */
import { effectiveOf, newestScores } from '../core/evaluation/effective-scores.ts'
import { newestFirst } from './evaluation-run.ts'
import type { EvaluationRun, RunScore } from './evaluation-run.ts'

/** A score beside the run that gave it. */
export interface ScoreView extends Omit<RunScore, 'name' | 'evidence'> {
  /** Places in the decision that it rests on; null when none are named. */
  readonly evidence: unknown
  readonly run_id: string
  readonly rule: string
  readonly rule_id: string | null
  readonly evaluator: string
  readonly evaluator_id: string | null
  readonly evaluator_version: number
  readonly evaluated_at: string
}

/** The first of the sources that gave the name: an evaluator, a program, a person, an end user. */
export interface ScoreEntry extends ScoreView {
  /** What counts: a person's word before the machine's. A number, or a label where it has none. */
  readonly effective_value: number | string | null
  readonly effective_passed: boolean | null
  /** Whose that is. */
  readonly effective_source: string
  /** The newest of each other source that gave the name. */
  readonly other_sources: Readonly<Record<string, ScoreView>>
}

export type ScoresByName = Readonly<Record<string, ScoreEntry>>

const shownFirst = ['evaluator', 'api', 'human', 'end_user']

/** In the order in which they were first given. Also a score named `__proto__` is kept. */
export function scoresByName(runs: readonly EvaluationRun[]): ScoresByName {
  const given = newestFirst(runs)
    .toReversed()
    .flatMap((run) => run.scores.map((score) => givenScoreOf(run, score)))
  const entries = [...newestScores(given)].map(([name, sources]) => {
    const views = [...sources].map(([kind, { view }]) => [kind, view] as const)
    return [name, scoreEntryOf(new Map(views))] as const
  })
  return Object.fromEntries(entries)
}

function givenScoreOf(run: EvaluationRun, score: RunScore) {
  const { name, source_kind, score_id } = score
  const evaluated_at = Number(run.evaluated_at)
  return { name, source_kind, score_id, evaluated_at, view: scoreViewOf(run, score) }
}

/** There is at least one source. */
function scoreEntryOf(sources: ReadonlyMap<string, ScoreView>): ScoreEntry {
  const shown = effectiveOf(sources, shownFirst)
  const effective = effectiveOf(sources)
  const others = [...sources].filter(([, view]) => view !== shown)
  return {
    ...shown,
    effective_value: effective.value ?? effective.label,
    effective_passed: effective.passed,
    effective_source: effective.source_kind,
    other_sources: Object.fromEntries(others)
  }
}

/** Whoever may write to the topic may have written anything here. */
export function evidenceOf(text: string | null): unknown {
  try {
    return text === null ? null : (JSON.parse(text) as unknown)
  } catch {
    return null
  }
}

export function scoreViewOf(run: EvaluationRun, { name: _, ...score }: RunScore): ScoreView {
  const { run_id, rule, rule_id, evaluator, evaluator_id, evaluator_version } = run
  return {
    ...score,
    evidence: evidenceOf(score.evidence),
    ...{ run_id, rule, rule_id, evaluator, evaluator_id, evaluator_version },
    evaluated_at: (run.evaluated_at ?? new Date(0)).toISOString()
  }
}
