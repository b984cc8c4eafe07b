/** Evaluation status: the state of a decision's evaluation, derived from its plan and runs.
 *
 *     no plan yet    ──▶ pending
 *     runs pending   ──▶ pending        no run is active, has succeeded or has failed
 *                    ──▶ evaluating     a run is active, has succeeded or has failed
 *     all runs ended ──▶ evaluated      some succeeded, none failed
 *                    ──▶ partial        some succeeded, some failed
 *                    ──▶ failed         none succeeded, some failed
 *                    ──▶ not_evaluated  all were skipped, or none was planned
 */

export const evaluationStatuses = [
  'pending',
  'evaluating',
  'evaluated',
  'partial',
  'failed',
  'not_evaluated'
] as const
export type EvaluationStatus = (typeof evaluationStatuses)[number]

export interface EvaluationState {
  readonly status: EvaluationStatus
  /** Why the status is not `evaluated`; null if it is, or if no reason is known. */
  readonly reason: string | null
}

interface EvaluationProgress {
  readonly planned: number
  readonly succeeded: number
  readonly failed: number
  readonly skipped: number
  readonly pending: number
  /** Number of pending runs that wait because the circuit of their connection is open. */
  readonly blocked: number
  /** Number of failed runs that expired. */
  readonly expired: number
  /** Number of skipped runs that were canceled. */
  readonly canceled: number
}

/** State of a run. Later versions may add status values. */
export interface RunState {
  readonly status: string
  readonly status_reason: string | null
}

export interface RunIdentity {
  readonly rule: string
  readonly evaluator: string
  /** Null in records without ids, which identify the rule and the evaluator by name. */
  readonly rule_id: string | null
  readonly evaluator_id: string | null
  readonly evaluator_version: number
  readonly generation: number
}

type RunPhase = 'waiting' | 'running' | 'succeeded' | 'failed' | 'skipped'

const phases: ReadonlyMap<string, RunPhase> = new Map([
  ['running', 'running'],
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['expired', 'failed'],
  ['skipped', 'skipped'],
  ['canceled', 'skipped']
])

/**
 * Maps the status to a phase. An unknown status counts as waiting, so that no run is reported as
 * finished too early.
 */
function phaseOf(run: RunState): RunPhase {
  return phases.get(run.status) ?? 'waiting'
}

/** Returns a key that a run shares with all of its replays. */
export function runKeyOf(run: Omit<RunIdentity, 'evaluator_version' | 'generation'>): string {
  // Separates the parts with U+0000, which no id or name contains.
  return `${run.rule_id ?? run.rule}\u0000${run.evaluator_id ?? run.evaluator}`
}

/** Returns the latest run of each rule and evaluator. A replay replaces the run that it repeats. */
export function currentRunsOf<R extends RunIdentity>(runs: readonly R[]): readonly R[] {
  const latest = new Map<string, R>()
  for (const run of runs) {
    const key = runKeyOf(run)
    const known = latest.get(key)
    if (known === undefined || isLater(run, known)) latest.set(key, run)
  }
  return [...latest.values()]
}

function isLater(run: RunIdentity, known: RunIdentity): boolean {
  if (run.generation !== known.generation) return run.generation > known.generation
  return run.evaluator_version > known.evaluator_version
}

export function evaluationProgressOf(runs: readonly RunState[]): EvaluationProgress {
  const count = (phase: RunPhase): number => runs.filter((run) => phaseOf(run) === phase).length
  const withStatus = (status: string): number => runs.filter((run) => run.status === status).length
  return {
    planned: runs.length,
    succeeded: count('succeeded'),
    failed: count('failed'),
    skipped: count('skipped'),
    pending: count('waiting') + count('running'),
    blocked: withStatus('blocked'),
    expired: withStatus('expired'),
    canceled: withStatus('canceled')
  }
}

/** @param runs the current runs of one stored decision */
export function evaluationStateOf(runs: readonly RunState[]): EvaluationState {
  const progress = evaluationProgressOf(runs)
  if (progress.planned === 0) return { status: 'pending', reason: 'not_planned_yet' }
  if (progress.pending > 0) return openStateOf(runs, progress)
  if (progress.failed > 0) {
    const status = progress.succeeded > 0 ? 'partial' : 'failed'
    return { status, reason: reasonOf(runs, 'failed') }
  }
  if (progress.succeeded > 0) return { status: 'evaluated', reason: null }
  return { status: 'not_evaluated', reason: reasonOf(runs, 'skipped') }
}

function openStateOf(runs: readonly RunState[], progress: EvaluationProgress): EvaluationState {
  const hasBegun = progress.succeeded + progress.failed > 0
  const isRunning = runs.some((run) => phaseOf(run) === 'running')
  const status = hasBegun || isRunning ? 'evaluating' : 'pending'
  return { status, reason: reasonOf(runs, 'waiting') }
}

function reasonOf(runs: readonly RunState[], phase: RunPhase): string | null {
  const ofPhase = runs.filter((run) => phaseOf(run) === phase)
  return sharedReasonOf(ofPhase.map((run) => run.status_reason))
}

const mismatches = new Set(['domain', 'agent_id', 'session_id', 'metadata'])

/**
 * Checks whether an outcome means that the rule did not match, rather than that it matched but
 * planned nothing.
 */
export function isMismatch(outcome: string): boolean {
  return mismatches.has(outcome)
}

/**
 * Returns the state of a decision for which no rule planned a run.
 * @param outcomes one outcome for each rule, all different from `planned`
 */
export function unplannedStateOf(outcomes: readonly string[]): EvaluationState {
  const reasons = outcomes.map((outcome) => (isMismatch(outcome) ? 'not_matched' : outcome))
  return { status: 'not_evaluated', reason: sharedReasonOf(reasons) ?? 'no_rule' }
}

/** Returns the reason that all runs or rules share, or `several_reasons` if they differ. */
function sharedReasonOf(reasons: readonly (string | null)[]): string | null {
  const [first = null, ...others] = new Set(reasons)
  return others.length > 0 ? 'several_reasons' : first
}

/** Checks whether the status is final. */
export function isEvaluationOver(status: EvaluationStatus): boolean {
  return status !== 'pending' && status !== 'evaluating'
}
