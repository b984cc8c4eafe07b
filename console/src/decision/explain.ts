/** Sentences for the reasons why a decision has no score. */
import type { StatusReason } from '../../../core/evaluation/status-reason.ts'

type PlanReason = StatusReason | 'not_planned_yet' | 'not_matched' | 'no_rule' | 'several_reasons'

const sentences: Readonly<Record<PlanReason, string>> = {
  not_planned_yet: 'The evaluation group has not planned this decision yet.',
  not_matched: 'No rule matches this decision.',
  no_rule: 'The organization has no rule.',
  several_reasons: 'The reasons differ; see each line.',
  disabled: 'The rule is disabled.',
  domain: 'The domain of the decision does not match the rule.',
  agent_id: 'The agent of the decision does not match the rule.',
  session_id: 'The session of the decision does not match the rule.',
  metadata: 'The metadata of the decision does not match the rule.',
  sampled_out: 'The decision is not in the sample of the rule.',
  budget_exhausted: 'The budget of the rule was exhausted.',
  loop_guard: 'The decision was sent by an evaluator, so it is not evaluated.',
  not_applicable: 'The evaluator does not apply to this decision.',
  content_missing: 'The decision lacks the content that the evaluator reads.',
  content_too_large: 'The content is too large for the evaluator.',
  code_error: 'The code of the evaluator failed.',
  code_timeout: 'The code of the evaluator took too long.',
  out_of_range: 'The judge returned a value outside of the range.',
  unknown_label: 'The judge returned a label that the evaluator does not define.',
  invalid_result: 'The evaluator returned an invalid result.',
  judge_refused: 'The judge refused to answer.',
  timeout: 'The judge did not respond in time.',
  provider_auth: 'The provider rejected the credentials of the connection.',
  provider_billing: 'The account at the provider has no credit.',
  provider_unreachable: 'The provider cannot be reached.',
  provider_rate_limited: 'The provider limits the rate of requests.',
  provider_error: 'The provider returned an error.',
  model_unavailable: 'The provider does not offer the model.',
  interrupted: 'The run was interrupted and will be retried.',
  ttl: 'The run expired before it could start.',
  user: 'A user canceled the run.',
  deleted: 'The rule or the evaluator was deleted.'
}

const outcomes: Readonly<Record<string, string>> = {
  scheduled: 'The run is scheduled.',
  running: 'The run is running.',
  retrying: 'The run will be retried after an error.',
  blocked: 'The run waits for an unavailable provider.'
}

/** Returns the sentence for a reason. A reason that only a later version knows stays unchanged. */
export function explain(reason: string | null, outcome = ''): string {
  if (reason === null) return outcomes[outcome] ?? ''
  return Object.hasOwn(sentences, reason) ? sentences[reason as PlanReason] : reason
}
