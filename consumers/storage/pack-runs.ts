/** Packs the runs that ended together into the arrays of one row.
 *
 * What many runs have in common is their kind, a row of its own that the arrays name. A run goes in
 * only if all that is published of it can be told again from the row: the rest has rows of its own.
 */
import { hash } from 'node:crypto'
import type { Evaluation, Run, Score } from '../../core/evaluation/evaluation.ts'
import { isOfflineKind } from '../../core/evaluation/evaluator-definition.ts'
import { pushRuleId } from '../../core/evaluation/rule.ts'
import { runIdOf, runMaskOf, scoreIdOf } from '../../core/ids/run-id.ts'
import { normalizedOf } from '../../evaluators/score-of.ts'
import { createCache } from '../../platform/process/cache.ts'

/** A row of run_kinds. */
export interface RunKind {
  readonly organization_id: string
  /** A bigint as text. */
  readonly run_kind: string
  readonly rule_id: string
  readonly rule: string
  readonly evaluator_id: string
  readonly evaluator: string
  readonly evaluator_kind: string
  readonly evaluator_version: number
  readonly config_hash: string | null
  /** Of the score; null for runs without one. */
  readonly name: string | null
  readonly data_type: string | null
  readonly threshold: number | null
  readonly range_min: number | null
  readonly range_max: number | null
  readonly direction: string | null
  readonly run_mask: string
  readonly score_mask: string | null
}

export interface PackedRun {
  readonly kind: RunKind
  readonly run: Run
  readonly score: Score | null
}

export interface SplitRuns {
  /** Those that fit into one row. */
  readonly packed: readonly PackedRun[]
  /** Those that need rows of their own. */
  readonly others: readonly Run[]
}

/** An evaluation that is to be stored, with the time under which its decision is stored. */
export interface Offer extends SplitRuns {
  readonly evaluation: Evaluation
}

const integerMax = 2 ** 31 - 1

/** Of two runs with one id the first counts. */
export function splitRuns(evaluation: Evaluation): SplitRuns {
  const packed: PackedRun[] = []
  const others: Run[] = []
  const known = new Set<string>()
  for (const run of evaluation.runs) {
    if (known.has(run.run_id)) continue
    known.add(run.run_id)
    const [score = null] = run.scores
    const isPackable = isPlainRun(run, evaluation) && (score === null || isPlainScore(score, run))
    if (isPackable)
      packed.push({ kind: kindOf(evaluation.organization_id, run, score), run, score })
    else others.push(run)
  }
  return { packed, others }
}

/** An evaluator's own run of a decision: no call, no replay, no push. */
function isPlainRun(run: Run, evaluation: Evaluation): boolean {
  const { generation, attempts, evaluator_kind, status, scores } = run
  const isFirst = isOfflineKind(evaluator_kind) && generation === 0 && attempts === 1
  const hasEnded = status in statusLetters && (status === 'succeeded') === (scores.length === 1)
  return (
    isFirst &&
    hasEnded &&
    scores.length <= 1 &&
    isDuration(run.duration_us) &&
    neverPacked.every((member) => run[member] === null) &&
    hasOwnId(run, evaluation)
  )
}

/** Of each way in which a packed run may end, how it is written. */
export const statusLetters: Readonly<Record<string, string>> = {
  ...{ succeeded: 's', failed: 'f', skipped: 'k' }
}

function isDuration(us: number | null): boolean {
  return us === null || (us >= 0 && us <= integerMax)
}

function hasOwnId(run: Run, { organization_id, decision_id }: Evaluation): boolean {
  const { rule_id, evaluator_id, evaluator_version: version, generation } = run
  if (rule_id === null || evaluator_id === null || rule_id === pushRuleId) return false
  const origin = { organization_id, decision_id, rule_id, evaluator_id, version, generation }
  return run.run_id === runIdOf(origin)
}

/** What only calls, replays and pushes have. */
const neverPacked = [
  ...(['replay_of', 'scheduled_at', 'started_at', 'http_status', 'provider', 'model'] as const),
  ...(['model_reported', 'input_tokens', 'output_tokens', 'cost_nano_usd', 'latency_ms'] as const)
]

function isPlainScore(score: Score, { run_id }: Run): boolean {
  const { data_type, value, range_min: min, range_max: max, direction, source_kind } = score
  return (
    score.score_id === scoreIdOf(run_id, score.name) &&
    score.name.length <= nameUnitsMax &&
    (source_kind === null || source_kind === 'evaluator') &&
    score.source_id === null &&
    [value, score.threshold, min, max].every(isFiniteOrNull) &&
    isInReach(score) &&
    score.normalized === normalizedOf(value, { data_type, min, max, direction })
  )
}

/** A longer one does not fit into the index of names; evaluators have shorter ones. */
const nameUnitsMax = 512

/** What is no number would be null in the text of a kind. */
function isFiniteOrNull(value: number | null): boolean {
  return value === null || Number.isFinite(value)
}

/** The view divides again, and Postgres refuses a result that is too great or too near to 0. */
function isInReach({ value, range_min: min, range_max: max }: Score): boolean {
  if (value === null || min === null || max === null || max <= min) return true
  const [part, whole] = [value - min, max - min]
  if (!Number.isFinite(part) || !Number.isFinite(whole)) return false
  return part === 0 || (part / whole !== 0 && Number.isFinite(part / whole))
}

/** Organizations have tens of them. */
const kindsMax = 20_000
const kinds = createCache<RunKind>(kindsMax)
/** No text that is stored has it. */
const none = '\u0000'

function kindOf(organization_id: string, run: Run, score: Score | null): RunKind {
  const { rule, evaluator, evaluator_kind, evaluator_version, config_hash } = run
  const { rule_id = '', evaluator_id = '' } = run as { rule_id?: string; evaluator_id?: string }
  const ofScore = score ?? noScore
  const key = [
    ...[organization_id, rule_id, rule, evaluator_id, evaluator, evaluator_kind],
    ...[evaluator_version, config_hash ?? none, ofScore.name ?? none, ofScore.data_type ?? none],
    ...[ofScore.threshold, ofScore.range_min, ofScore.range_max, ofScore.direction ?? none]
  ].join(none)
  const known = kinds.get(key)
  if (known !== undefined) return known
  const members = {
    ...{ rule_id, rule, evaluator_id, evaluator, evaluator_kind, evaluator_version, config_hash },
    ...scoreKindOf(ofScore)
  }
  const text = JSON.stringify(Object.values(members))
  const version = evaluator_version
  const run_mask = runMaskOf({ organization_id, rule_id, evaluator_id, version, generation: 0 })
  const score_mask = score === null ? null : scoreIdOf(run_mask, score.name)
  const kind = { organization_id, run_kind: numberOf(text), ...members, run_mask, score_mask }
  kinds.set(key, kind)
  return kind
}

type ScoreKind = Pick<
  RunKind,
  'name' | 'data_type' | 'threshold' | 'range_min' | 'range_max' | 'direction'
>

const noScore: ScoreKind = {
  ...{ name: null, data_type: null, threshold: null },
  ...{ range_min: null, range_max: null, direction: null }
}

function scoreKindOf(score: ScoreKind): ScoreKind {
  const { name, data_type, threshold, range_min, range_max, direction } = score
  return { name, data_type, threshold, range_min, range_max, direction }
}

/** 64 bits of SHA-256. */
function numberOf(text: string): string {
  return hash('sha256', text, 'buffer').readBigInt64BE().toString()
}
