/** Valid things to begin a test with; each test names only what it is about. */
import { randomUUID } from 'node:crypto'
import type { Decision } from '../../core/decision/decision.ts'
import { bareRun, bareScore } from '../../core/evaluation/evaluation.ts'
import type { Evaluation, Run, Score } from '../../core/evaluation/evaluation.ts'

/** 2025-01-15T12:00:00Z: a fixed day, so that no test depends on today. */
export const noon = 1_736_942_400_000

/** The body of `POST /v1/ingest`. */
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

export function aRun(overrides: Partial<Run> = {}): Run {
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
    runs: [aRun()],
    ...overrides
  }
}
