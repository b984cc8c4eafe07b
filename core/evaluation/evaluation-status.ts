/** The state of a decision's evaluation: derived from plan and runs, never written by hand.
 *
 *     no plan, or only runs that wait ──▶ pending ──▶ evaluating (one runs, or some have ended)
 *     every run ended ──▶ evaluated      some succeeded, none failed
 *                     ──▶ partial        some succeeded, some failed
 *                     ──▶ failed         none succeeded, some failed
 *                     ──▶ not_evaluated  every one was skipped, or none was planned
 */

export type EvaluationStatus =
  'pending' | 'evaluating' | 'evaluated' | 'partial' | 'failed' | 'not_evaluated'

export interface EvaluationState {
  readonly status: EvaluationStatus
  /** Why it is not simply evaluated; null when there is nothing to explain. */
  readonly reason: string | null
}

export interface EvaluationProgress {
  readonly planned: number
  readonly succeeded: number
  readonly failed: number
  readonly skipped: number
  readonly pending: number
  /** Those of `pending` that wait for a provider that does not work. */
  readonly blocked: number
  /** Those of `failed` whose time was over. */
  readonly expired: number
  /** Those of `skipped` that somebody stopped. */
  readonly canceled: number
}

/** What the derivation needs of a run. Its status is an open list: a later writer may add to it. */
export interface RunState {
  readonly status: string
  readonly status_reason: string | null
}

export interface RunIdentity {
  readonly rule: string
  readonly evaluator: string
  /** Null in a record without ids, where names identify runs. */
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

/** A status that is not known here has not ended, so that nobody stops waiting too early. */
function phaseOf(run: RunState): RunPhase {
  return phases.get(run.status) ?? 'waiting'
}

/** What a replay has in common with the run that it repeats. */
export function runKeyOf(run: Omit<RunIdentity, 'evaluator_version' | 'generation'>): string {
  // No id and no name that is stored has this character.
  return `${run.rule_id ?? run.rule}\u0000${run.evaluator_id ?? run.evaluator}`
}

/** Of each rule and evaluator the latest run: a replay takes the place of the run it repeats. */
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

/** @param runs the current runs of one decision that is stored. */
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

/** Whether a rule did not want the decision, as against one that wanted it and did not get it. */
export function isMismatch(outcome: string): boolean {
  return mismatches.has(outcome)
}

/**
 * No rule wanted the decision, or there is none.
 * @param outcomes of the rules, none of which is `planned`
 */
export function unplannedStateOf(outcomes: readonly string[]): EvaluationState {
  const reasons = outcomes.map((outcome) => (isMismatch(outcome) ? 'not_matched' : outcome))
  return { status: 'not_evaluated', reason: sharedReasonOf(reasons) ?? 'no_rule' }
}

/** The one reason that all share; each tells its own when they differ. */
export function sharedReasonOf(reasons: readonly (string | null)[]): string | null {
  const [first = null, ...others] = new Set(reasons)
  return others.length > 0 ? 'several_reasons' : first
}

/** Whether waiting longer cannot change the state. */
export function isEvaluationOver(status: EvaluationStatus): boolean {
  return status !== 'pending' && status !== 'evaluating'
}
