/** Defines the tasks of the compute thread: validates and runs evaluators defined by tenants. */
import type { Decision } from '../../core/decision/decision.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { Violation } from '../../core/problem.ts'
import { checkEvaluator } from '../../evaluators/check-evaluator.ts'
import { compileEvaluator } from '../../evaluators/compile-evaluator.ts'
import type { CompiledEvaluator } from '../../evaluators/evaluator.ts'
import { runEvaluators } from '../../evaluators/run-evaluators.ts'
import type { EvaluatorResult } from '../../evaluators/run-evaluators.ts'
import { subjectOf } from '../../evaluators/subject.ts'
import { serveTasks } from '../../platform/process/compute-thread.ts'

/** Validates an evaluator body and returns all violations. */
function checkBody(body: unknown): readonly Violation[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return checkEvaluator(body)
  const { self_test = true, ...given } = body as Record<string, unknown>
  const errors = checkEvaluator(given)
  if (typeof self_test === 'boolean') return errors
  return [...errors, { pointer: '/self_test', detail: 'must be a boolean' }]
}

/** The last compiled evaluator. A test runs the same evaluator on several decisions. */
let compiled: { readonly version: string; readonly evaluator: CompiledEvaluator } | null = null

function evaluatorOf(version: EvaluatorVersion): CompiledEvaluator {
  const text = JSON.stringify(version)
  if (compiled?.version !== text) compiled = { version: text, evaluator: compileEvaluator(version) }
  return compiled.evaluator
}

/**
 * A result without the error object, which cannot be passed between threads and can quote the
 * decision.
 */
type TrialResult = Exclude<EvaluatorResult, { status: 'failed' }> | Omit<Failed, 'error'>
type Failed = Extract<EvaluatorResult, { status: 'failed' }>

function tryEvaluator(trial: { version: EvaluatorVersion; decision: Decision }): TrialResult {
  const evaluator = evaluatorOf(trial.version)
  const [outcome] = runEvaluators([{ evaluator, subject: subjectOf(trial.decision) }])
  if (outcome === undefined) throw new Error('the evaluator has no outcome')
  if (outcome.status !== 'failed') return outcome
  const { status, status_reason, duration_us } = outcome
  return { status, status_reason, duration_us }
}

const tasks = { check: checkBody, try: tryEvaluator }
export type ComputeTasks = typeof tasks

serveTasks(tasks)
