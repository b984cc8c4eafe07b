/** The fields of the query bar: how each is written, and which filter of the API it becomes. */
import { evaluationStatuses } from '../../../core/evaluation/evaluation-status.ts'
import { verdicts } from '../../../core/evaluation/evaluation.ts'

interface FieldForm {
  /** `list` and `choice`: several values; one must match. `range`: `>=` or `<=` and a number. */
  readonly kind: 'text' | 'list' | 'choice' | 'range' | 'flag'
  readonly filter: string
  readonly values?: readonly string[]
}

export const queryFields: Readonly<Record<string, FieldForm>> = {
  agent: { kind: 'text', filter: 'agent_id' },
  session: { kind: 'text', filter: 'session_id' },
  has_session: { kind: 'flag', filter: 'has_session', values: ['true', 'false'] },
  domain: { kind: 'list', filter: 'domain' },
  verdict: { kind: 'choice', filter: 'verdict', values: verdicts },
  status: { kind: 'choice', filter: 'status', values: evaluationStatuses },
  model: { kind: 'text', filter: 'model' },
  version: { kind: 'text', filter: 'agent_version' },
  trace: { kind: 'text', filter: 'trace_id' },
  parent: { kind: 'text', filter: 'parent_decision_id' },
  root: { kind: 'flag', filter: 'root', values: ['true', 'false'] },
  kind: { kind: 'text', filter: 'kind' },
  sdk: { kind: 'text', filter: 'sdk_version' },
  latency_ms: { kind: 'range', filter: 'latency_ms' },
  input_tokens: { kind: 'range', filter: 'input_tokens' },
  output_tokens: { kind: 'range', filter: 'output_tokens' },
  total_tokens: { kind: 'range', filter: 'total_tokens' },
  error: { kind: 'flag', filter: 'is_error', values: ['true', 'false'] }
}
