/** Status reasons: why a rule planned nothing, or why a run has no score or is still waiting. */

/** Reasons why a rule planned no run. */
export const ruleReasons = [
  'disabled',
  'domain',
  'agent_id',
  'session_id',
  'metadata',
  'sampled_out',
  'budget_exhausted',
  'loop_guard'
] as const

/** Reasons why a run was skipped, failed, expired, canceled or is still waiting. */
export const runReasons = [
  'not_applicable',
  'content_missing',
  'content_too_large',
  'code_error',
  'code_timeout',
  'out_of_range',
  'unknown_label',
  'invalid_result',
  'judge_refused',
  'timeout',
  'provider_auth',
  'provider_billing',
  'provider_unreachable',
  'provider_rate_limited',
  'provider_error',
  'model_unavailable',
  'interrupted',
  'ttl',
  'user',
  'deleted'
] as const

export type RuleReason = (typeof ruleReasons)[number]
export type StatusReason = RuleReason | (typeof runReasons)[number]
