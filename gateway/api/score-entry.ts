/** The scores of a decision by name: what the machine says, what people say, and what counts. */
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
const countsFirst = ['human', 'evaluator', 'api', 'end_user']

/** Of two with one name and source the later evaluated. Also a score named `__proto__` is kept. */
export function scoresByName(runs: readonly EvaluationRun[]): ScoresByName {
  const byName = new Map<string, Map<string, ScoreView>>()
  for (const [name, view] of newestScoresOf(runs)) {
    const sources = byName.get(name) ?? new Map<string, ScoreView>()
    byName.set(name, sources.set(view.source_kind, view))
  }
  const entries = [...byName].map(([name, sources]) => [name, scoreEntryOf(sources)] as const)
  return Object.fromEntries(entries)
}

/** In the order in which they were given, so that the last of a name and source is the newest. */
function newestScoresOf(runs: readonly EvaluationRun[]): readonly (readonly [string, ScoreView])[] {
  return newestFirst(runs)
    .toReversed()
    .flatMap((run) => run.scores.map((score) => [score.name, scoreViewOf(run, score)] as const))
}

/** There is at least one source. One that is not known here comes behind those that are. */
function scoreEntryOf(sources: ReadonlyMap<string, ScoreView>): ScoreEntry {
  const firstOf = (order: readonly string[]): ScoreView => {
    const kinds = [...order, ...sources.keys()]
    return sources.get(kinds.find((kind) => sources.has(kind)) ?? '') as ScoreView
  }
  const shown = firstOf(shownFirst)
  const effective = firstOf(countsFirst)
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
