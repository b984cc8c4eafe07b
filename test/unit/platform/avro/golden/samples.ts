/** Defines the golden values as literals, so that changes to a builder do not affect them. */
import type { Decision } from '../../../../../core/decision/decision.ts'
import type {
  Evaluation,
  LaterRun,
  PackedRun,
  Score
} from '../../../../../core/evaluation/evaluation.ts'

/** Id of the writer schema in the golden wire headers. */
export const goldenSchemaId = 0x01020304

const decision_id = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
const organization_id = '01938c4e-2222-7000-8000-5b7a9f002f6d'
const received_at = 1_736_942_400_000

/** Sets all fields. Digits beyond 2^53, NUL, emoji and `__proto__` are kept as sent. */
export const goldenDecision: Decision = Object.freeze({
  decision_id,
  organization_id,
  received_at,
  input: '{ "n":12345678901234567890,"z":"\\u0000","__proto__":{"a":1e400} }',
  output: 'Ja: 30 Tage, ungetragen. 👟\u0000 Да, 返品できます。',
  agent_id: 'refund-agent',
  session_id: 'ticket-4711',
  domain: 'refunds',
  metadata: '{"model":"small-1", "latency_ms":812.50}',
  input_tokens: 420,
  output_tokens: 4_294_967_296,
  sdk_version: 'typescript/0.1.0'
})

const succeeded: PackedRun = Object.freeze({
  kind: Object.freeze({
    rule_id: 'default',
    rule: 'Standard – 标准',
    evaluator_id: 'no_repetition',
    evaluator: 'no_repetition',
    evaluator_kind: 'heuristic',
    evaluator_version: 2,
    config_hash: 'sha256:00ff',
    name: 'no_repetition',
    data_type: 'numeric',
    threshold: 0.5,
    range_min: 0,
    range_max: 1,
    direction: 'higher',
    reason_template: '# % of the phrases are distinct.'
  }),
  status: 'succeeded',
  status_reason: null,
  duration_us: 37,
  value: 0.875,
  label: 'mostly',
  passed: true,
  reason: '88 % of the phrases are distinct.',
  reason_numbers: '88',
  confidence: 0.25,
  evidence: '[{"path":"/output","quote":null,"start":12,"end":40}]',
  error: null
})

const skipped: PackedRun = Object.freeze({
  kind: Object.freeze({
    rule_id: 'default',
    rule: 'Standard – 标准',
    evaluator_id: 'json_valid',
    evaluator: 'json_valid',
    evaluator_kind: 'heuristic',
    evaluator_version: 1,
    config_hash: null,
    name: null,
    data_type: null,
    threshold: null,
    range_min: null,
    range_max: null,
    direction: null,
    reason_template: null
  }),
  status: 'skipped',
  status_reason: 'not_applicable',
  duration_us: null,
  value: null,
  label: null,
  passed: null,
  reason: null,
  reason_numbers: null,
  confidence: null,
  evidence: null,
  error: null
})

const judged: Score = Object.freeze({
  score_id: 'c2d3e4f5-13b0-5a52-8d3f-6f5c0b7e9a14',
  name: 'refund_policy',
  data_type: 'categorical',
  value: 0.5,
  label: 'partly',
  passed: false,
  reason: 'Names the deadline – 但没有说价格.',
  normalized: 0.5,
  threshold: 0.75,
  range_min: 0,
  range_max: 1,
  direction: 'higher',
  confidence: 0.875,
  evidence: '[{"path":"$.output","start":12,"end":40}]',
  source_kind: 'evaluator',
  source_id: 'evl_0193'
})

const replayed: LaterRun = Object.freeze({
  run_id: '3b241101-e2bb-5255-8caf-4136c566a964',
  rule: 'refunds',
  evaluator: 'refund_policy',
  evaluator_kind: 'llm_judge',
  evaluator_version: 3,
  generation: 1,
  status: 'succeeded',
  status_reason: null,
  attempts: 2,
  duration_us: 640_000,
  scores: Object.freeze([judged]),
  rule_id: 'rul_0193',
  evaluator_id: 'evl_0193',
  config_hash: 'sha256:00ff',
  replay_of: '3b241101-e2bb-5255-8caf-4136c566a963',
  scheduled_at: received_at + 50,
  started_at: received_at + 60,
  error: 'the first reply was no JSON',
  http_status: 200,
  provider: 'con_0193',
  model: 'small',
  model_reported: 'small-2026-01',
  input_tokens: 812,
  output_tokens: 61,
  cost_nano_usd: 310_000,
  latency_ms: 640
})

export const goldenEvaluation = Object.freeze<Evaluation>({
  decision_id,
  organization_id,
  agent_id: 'refund-agent',
  session_id: null,
  domain: 'refunds',
  received_at,
  evaluated_at: received_at + 40,
  plan: Object.freeze({ rule_set_version: 7, outcomes: Object.freeze(['planned', 'domain']) }),
  runs: Object.freeze([succeeded, skipped]),
  later_runs: Object.freeze([replayed])
})

/** Golden values by schema file name, without the extension. */
export const goldenValues: Readonly<Record<string, object>> = Object.freeze({
  'decision.v1': goldenDecision,
  'evaluation.v1': goldenEvaluation
})
