/** evaluate: a decision's plan to its runs and scores; each run ends exactly one way. */
import type { Clock } from '../../core/clock.ts'
import type { Decision } from '../../core/decision.ts'
import { bareRun, bareScore } from '../../core/evaluation.ts'
import type { Evaluation, Run, Score } from '../../core/evaluation.ts'
import { uuidv5 } from '../../core/ids.ts'
import type { Finding } from '../../evaluators/evaluator.ts'
import { subjectOf } from '../../evaluators/subject.ts'
import type { Subject } from '../../evaluators/subject.ts'
import { planOf } from './plan.ts'
import type { PlannedRun } from './plan.ts'

/** Namespace of run ids. Were it to change, a redelivered decision would be evaluated anew. */
const runNamespace = '5d1d3b70-3a35-5c0c-8e0b-6b2b8f0c9a41'
const firstGeneration = 0

export interface EvaluateDependencies {
  readonly clock: Clock
  readonly plan?: (decision: Decision) => readonly PlannedRun[]
}

/** Safe to repeat: the same decision yields the same run and score ids. */
export function createEvaluate({ clock, plan = planOf }: EvaluateDependencies) {
  return function evaluate(decision: Decision): Evaluation {
    const subject = subjectOf(decision)
    const runs = plan(decision).map((planned) => runOf(subject, planned))
    const { decision_id, organization_id, agent_id, session_id, domain, received_at } = decision
    const identity = { decision_id, organization_id, agent_id, session_id, domain, received_at }
    return { ...identity, evaluated_at: clock.now(), runs }
  }
}

function runOf(subject: Subject, { rule, evaluator }: PlannedRun): Run {
  const { organization_id, decision_id } = subject.decision
  const { name, kind, version } = evaluator
  const path = [organization_id, decision_id, rule, name, version, firstGeneration]
  const run_id = uuidv5(runNamespace, path.join('/'))
  const startedAt = performance.now()
  const result = resultOf(subject, { rule, evaluator })
  return {
    ...bareRun,
    run_id,
    rule,
    rule_id: rule,
    evaluator_id: name,
    evaluator: name,
    evaluator_kind: kind,
    evaluator_version: version,
    generation: firstGeneration,
    status: result.status,
    status_reason: result.status_reason,
    attempts: 1,
    duration_us: Math.round((performance.now() - startedAt) * 1000),
    scores: result.finding === null ? [] : [scoreOf(run_id, name, result.finding)]
  }
}

type Result = Pick<Run, 'status' | 'status_reason'> & { readonly finding: Finding | null }

/** One evaluator's bug costs its own score and no other. */
function resultOf(subject: Subject, { evaluator }: PlannedRun): Result {
  try {
    const found = evaluator.evaluate(subject)
    if (found.kind === 'finding')
      return { status: 'succeeded', status_reason: null, finding: found }
    return { status: 'skipped', status_reason: found.status_reason, finding: null }
  } catch {
    return { status: 'failed', status_reason: 'code_error', finding: null }
  }
}

function scoreOf(runId: string, name: string, finding: Finding): Score {
  const { data_type, value, label, passed, reason } = finding
  const score_id = uuidv5(runId, name)
  return { ...bareScore, score_id, name, data_type, value, label, passed, reason }
}
