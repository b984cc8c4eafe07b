/** Builds valid test data. Each test sets only the fields that matter to it. */
import { randomUUID } from 'node:crypto'
import type { Decision } from '../../core/decision/decision.ts'
import { bareRun, bareScore } from '../../core/evaluation/evaluation.ts'
import type {
  Evaluation,
  LaterRun,
  PackedRun,
  RunKind,
  Score
} from '../../core/evaluation/evaluation.ts'

/** 2025-01-15T12:00:00Z. A fixed day keeps tests independent of the current date. */
export const noon = 1_736_942_400_000

/** Returns a body for `POST /v1/ingest`. */
export function aDecisionBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    decision_id: randomUUID(),
    agent_id: 'refund-agent',
    session_id: 'ticket-4711',
    domain: 'refunds',
    input: { question: 'May I return these shoes?', days: 12 },
    output: 'Yes: within 30 days, unworn, you get the full price back.',
    metadata: { model: 'small-1', latency_ms: 812 },
    input_tokens: 420,
    output_tokens: 96,
    ...overrides
  }
}

export function aDecision(overrides: Partial<Decision> = {}): Decision {
  return {
    decision_id: randomUUID(),
    organization_id: randomUUID(),
    received_at: noon,
    input: '{"question":"May I return these shoes?","days":12}',
    output: 'Yes: within 30 days, unworn, you get the full price back.',
    agent_id: 'refund-agent',
    session_id: 'ticket-4711',
    domain: 'refunds',
    metadata: '{"model":"small-1","latency_ms":812}',
    input_tokens: 420,
    output_tokens: 96,
    sdk_version: null,
    ...overrides
  }
}

export function aScore(overrides: Partial<Score> = {}): Score {
  return {
    score_id: randomUUID(),
    name: 'not_empty',
    data_type: 'boolean',
    value: 1,
    label: null,
    passed: true,
    reason: null,
    ...bareScore,
    ...overrides
  }
}

export function aRun(overrides: Partial<LaterRun> = {}): LaterRun {
  return {
    run_id: randomUUID(),
    rule: 'default',
    evaluator: 'not_empty',
    evaluator_kind: 'heuristic',
    evaluator_version: 1,
    generation: 0,
    status: 'succeeded',
    status_reason: null,
    attempts: 1,
    duration_us: 37,
    scores: [aScore()],
    ...bareRun,
    ...overrides
  }
}

export function aRunKind(overrides: Partial<RunKind> = {}): RunKind {
  return {
    rule_id: 'default',
    rule: 'default',
    evaluator_id: 'not_empty',
    evaluator: 'not_empty',
    evaluator_kind: 'heuristic',
    evaluator_version: 1,
    config_hash: null,
    name: 'not_empty',
    data_type: 'boolean',
    threshold: null,
    range_min: null,
    range_max: null,
    direction: 'higher',
    reason_template: null,
    ...overrides
  }
}

export function aPackedRun(overrides: Partial<PackedRun> = {}): PackedRun {
  return {
    kind: aRunKind(),
    status: 'succeeded',
    status_reason: null,
    duration_us: 37,
    value: 1,
    label: null,
    passed: true,
    reason: null,
    reason_numbers: null,
    confidence: null,
    evidence: null,
    error: null,
    ...overrides
  }
}

export function anEvaluation(overrides: Partial<Evaluation> = {}): Evaluation {
  const { decision_id, organization_id, agent_id, session_id, domain } = aDecision()
  return {
    decision_id,
    organization_id,
    agent_id,
    session_id,
    domain,
    received_at: noon,
    evaluated_at: noon + 40,
    plan: null,
    runs: [],
    later_runs: [aRun()],
    ...overrides
  }
}
