/** Why a rule planned nothing, or a run gave no score or still waits: the closed list. */

/** What a rule may say instead of planning. */
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

/** What a run may say: why it was skipped, failed, expired or canceled, or what it waits for. */
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
