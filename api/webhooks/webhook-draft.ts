/** A webhook as a caller describes it, checked and filled in. */
import type { Violation } from '../../core/problem.ts'
import { recoveryValueOf } from '../../core/webhook.ts'
import type { ScoreThreshold } from '../../core/webhook.ts'
import type { Outbound } from '../../platform/http-client/outbound.ts'
import { invalidBody } from '../configuration/refusals.ts'
import type { StoredWebhook } from './stored-webhook.ts'

/** The body of POST; that of PATCH has some of it. */
export interface WebhookBody {
  readonly name: string
  readonly url: string
  readonly events: readonly string[]
  readonly threshold?: ThresholdBody | null
  readonly enabled?: boolean
}

type ThresholdBody = Partial<ScoreThreshold> &
  Pick<ScoreThreshold, 'score' | 'metric' | 'operator' | 'value'>

export interface WebhookDraft {
  readonly name: string
  readonly url: string
  readonly events: readonly string[]
  readonly threshold: ScoreThreshold | null
  readonly enabled: boolean
}

export const thresholdDefaults = { window_minutes: 60, min_n: 20 } as const

/** @param before the webhook that is changed; null for a new one. */
export function webhookDraftOf(
  body: Partial<WebhookBody>,
  before: StoredWebhook | null
): WebhookDraft {
  const { name = '', url = '', events = [], enabled = true } = { ...before, ...body }
  const given = body.threshold === undefined ? before?.threshold : body.threshold
  const threshold = given === null || given === undefined ? null : thresholdOf(given)
  return { name, url, events: [...new Set(events)], threshold, enabled }
}

/** In one order of members, so that the same threshold is the same text. */
function thresholdOf(body: ThresholdBody): ScoreThreshold {
  const { score, evaluator_id = null, agent_id = null, domain = null } = body
  const { metric, operator, value, recovery_value = recoveryValueOf(body) } = body
  const { window_minutes, min_n } = { ...thresholdDefaults, ...body }
  const whose = { score, evaluator_id, agent_id, domain }
  return { ...whose, metric, window_minutes, operator, value, recovery_value, min_n }
}

/** @throws {Problem} 422, with everything that is wrong */
export function refuseWebhook(
  { url, events, threshold }: WebhookDraft,
  outbound: Pick<Outbound, 'addressObjection'>
): void {
  const objection = outbound.addressObjection(url)
  const errors = [
    ...(objection === null ? [] : [{ pointer: '/url', detail: objection }]),
    ...violationsOfEvents(events, threshold),
    ...(threshold === null ? [] : violationsOfThreshold(threshold))
  ]
  if (errors.length > 0) throw invalidBody(errors)
}

function violationsOfEvents(
  events: readonly string[],
  threshold: ScoreThreshold | null
): Violation[] {
  const isWatching = events.some((event) => event.startsWith('threshold.'))
  if (isWatching && threshold === null) {
    return [{ pointer: '/threshold', detail: 'is required for the events of a threshold' }]
  }
  if (isWatching || threshold === null) return []
  return [{ pointer: '/events', detail: 'must hold threshold.crossed or threshold.recovered' }]
}

function violationsOfThreshold(threshold: ScoreThreshold): Violation[] {
  const { metric, operator, value, recovery_value } = threshold
  const isRate = (number: number): boolean => number >= 0 && number <= 1
  const notRate = 'must be from 0 to 1: it is a share'
  const side = operator === 'below' ? 1 : -1
  const isBack = (recovery_value - value) * side < 0
  return [
    ...(metric === 'mean' || isRate(value) ? [] : [violation('value', notRate)]),
    ...(metric === 'mean' || isRate(recovery_value) ? [] : [violation('recovery_value', notRate)]),
    ...(isBack ? [violation('recovery_value', `must not be ${operator} the value`)] : [])
  ]
}

function violation(member: string, detail: string): Violation {
  return { pointer: `/threshold/${member}`, detail }
}
