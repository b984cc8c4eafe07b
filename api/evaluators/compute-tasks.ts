/** Runs in the compute thread alone: what becomes of the texts and patterns that tenants wrote. */
import type { Decision } from '../../core/decision/decision.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { Violation } from '../../core/problem.ts'
import { checkEvaluator } from '../../evaluators/check-evaluator.ts'
import { compileEvaluator } from '../../evaluators/compile-evaluator.ts'
import type { CompiledEvaluator } from '../../evaluators/evaluator.ts'
import { runEvaluators } from '../../evaluators/run-evaluators.ts'
import type { Outcome } from '../../evaluators/run-evaluators.ts'
import { subjectOf } from '../../evaluators/subject.ts'
import { serveTasks } from '../../platform/process/compute-thread.ts'

/** Everything that is wrong with a body, in one go. */
function checkBody(body: unknown): readonly Violation[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return checkEvaluator(body)
  const { self_test, ...given } = body as Record<string, unknown>
  return [...checkEvaluator(given), ...checkSwitch(self_test)]
}

function checkSwitch(selfTest: unknown): Violation[] {
  if (selfTest === undefined || typeof selfTest === 'boolean') return []
  return [{ pointer: '/self_test', detail: 'must be a boolean' }]
}

/** The last one: a trial runs one evaluator on several decisions. */
let compiled: { readonly version: string; readonly evaluator: CompiledEvaluator } | null = null

function evaluatorOf(version: EvaluatorVersion): CompiledEvaluator {
  const text = JSON.stringify(version)
  if (compiled?.version !== text) compiled = { version: text, evaluator: compileEvaluator(version) }
  return compiled.evaluator
}

/** An error cannot leave the thread, and may quote the decision. */
type Tried = Exclude<Outcome, { status: 'failed' }> | Omit<Failed, 'error'>
type Failed = Extract<Outcome, { status: 'failed' }>

function tryEvaluator(trial: { version: EvaluatorVersion; decision: Decision }): Tried {
  const evaluator = evaluatorOf(trial.version)
  const [outcome] = runEvaluators([{ evaluator, subject: subjectOf(trial.decision) }])
  if (outcome === undefined) throw new Error('an evaluator has no outcome')
  if (outcome.status !== 'failed') return outcome
  const { status, status_reason, duration_us } = outcome
  return { status, status_reason, duration_us }
}

const tasks = { check: checkBody, try: tryEvaluator }
export type ComputeTasks = typeof tasks

serveTasks(tasks)
