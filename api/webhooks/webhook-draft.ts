/** Builds webhooks from request bodies, and validates them. */
import type { Violation } from '../../core/problem.ts'
import { recoveryValueOf } from '../../core/webhook.ts'
import type { ScoreThreshold } from '../../core/webhook.ts'
import type { Outbound } from '../../platform/http-client/outbound.ts'
import { refuseBody, violationAt } from '../configuration/problems.ts'
import type { StoredWebhook, WebhookDraft } from './queries.ts'
import { thresholdDefaults } from './schemas.ts'
import type { WebhookChange } from './schemas.ts'

/** @param before the webhook to change; null for a new one */
export function webhookDraftOf(body: WebhookChange, before: StoredWebhook | null): WebhookDraft {
  const { name = '', url = '', events = [], enabled = true } = { ...before, ...body }
  const sent = body.threshold === undefined ? before?.threshold : body.threshold
  const threshold = sent === null || sent === undefined ? null : thresholdOf(sent)
  return { name, url, events: [...new Set(events)], threshold, enabled }
}

/**
 * Fills in the defaults of a threshold. The fields have a fixed order, so that equal thresholds
 * have the same JSON.
 */
function thresholdOf(body: NonNullable<WebhookChange['threshold']>): ScoreThreshold {
  const { score, evaluator_id = null, agent_id = null, domain = null } = body
  const { metric, operator, value, recovery_value = recoveryValueOf(body) } = body
  const { window_minutes, min_n } = { ...thresholdDefaults, ...body }
  const scope = { score, evaluator_id, agent_id, domain }
  return { ...scope, metric, window_minutes, operator, value, recovery_value, min_n }
}

/** @throws {Problem} 422 listing all violations */
export function refuseWebhook(
  { url, events, threshold }: WebhookDraft,
  outbound: Pick<Outbound, 'addressObjection'>
): void {
  refuseBody([
    ...violationAt('/url', outbound.addressObjection(url)),
    ...violationsOfEvents(events, threshold),
    ...(threshold === null ? [] : violationsOfThreshold(threshold))
  ])
}

function violationsOfEvents(
  events: readonly string[],
  threshold: ScoreThreshold | null
): Violation[] {
  const isWatching = events.some((event) => event.startsWith('threshold.'))
  if (isWatching && threshold === null) {
    return [{ pointer: '/threshold', detail: 'is required for the events threshold.*' }]
  }
  if (isWatching || threshold === null) return []
  return [{ pointer: '/events', detail: 'must include threshold.crossed or threshold.recovered' }]
}

function violationsOfThreshold(threshold: ScoreThreshold): Violation[] {
  const { metric, operator, value, recovery_value } = threshold
  const isRate = (number: number): boolean => number >= 0 && number <= 1
  const notRate = 'must be from 0 to 1, because a pass rate is a share'
  const side = operator === 'below' ? 1 : -1
  const isBack = (recovery_value - value) * side < 0
  return [
    ...(metric === 'mean' || isRate(value) ? [] : [violation('value', notRate)]),
    ...(metric === 'mean' || isRate(recovery_value) ? [] : [violation('recovery_value', notRate)]),
    ...(isBack ? [violation('recovery_value', `must not be ${operator} \`value\``)] : [])
  ]
}

function violation(member: string, detail: string): Violation {
  return { pointer: `/threshold/${member}`, detail }
}
