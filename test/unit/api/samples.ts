/** Rows as the store would give them. */
import type { EvaluationRun } from '../../../api/evaluation-run.ts'
import { decisionId, now, organizationId } from './fakes.ts'

export const decisionRow = {
  organization_id: organizationId,
  decision_id: decisionId,
  received_at: new Date(now),
  stored_at: new Date(now + 70),
  sort_key: '2026-01-31T12:00:00.000000Z',
  input: '{"n":1}',
  output: '"fine"',
  input_start: '{"n":1}',
  output_start: '"fine"',
  agent_id: 'refund-agent',
  session_id: null,
  domain: null,
  metadata: null,
  input_tokens: 31,
  output_tokens: null,
  sdk_version: null
}

export function runRow(members: Partial<EvaluationRun> = {}) {
  return {
    organization_id: organizationId,
    decision_id: decisionId,
    run_id: '0d7c1f3a-52cb-5b9e-8f1e-0c7a3d9b1e44',
    rule_id: null as string | null,
    rule: 'default',
    evaluator_id: null as string | null,
    evaluator: 'refusal',
    evaluator_kind: 'heuristic',
    evaluator_version: 1,
    generation: 0,
    replay_of: null as string | null,
    superseded_by: null as string | null,
    status: 'succeeded',
    status_reason: null as string | null,
    attempts: 1,
    duration_us: 12 as number | null,
    scheduled_at: null as Date | null,
    started_at: null as Date | null,
    next_attempt_at: null as Date | null,
    evaluated_at: new Date(now + 300) as Date | null,
    stored_at: new Date(now + 400) as Date | null,
    result: null as string | null,
    score_id: null as string | null,
    ...members
  }
}

export function scoredRunRow(name: string, passed: boolean, members: Partial<EvaluationRun> = {}) {
  return {
    ...runRow(members),
    score_id: '5f0c8a52-6f0b-5d0b-9f43-6c1d64b7a3f2',
    name,
    data_type: 'boolean',
    value: passed ? 1 : 0,
    label: null,
    passed,
    reason: null,
    normalized: null,
    threshold: null,
    range_min: null,
    range_max: null,
    direction: null,
    confidence: null,
    evidence: null,
    source_kind: 'evaluator',
    source_id: null
  }
}
