/** Webhooks: defines events, delivery ids and score thresholds. */
import { uuidv5 } from './ids/ids.ts'

/** Events that a webhook can subscribe to. */
export const webhookEvents = [
  'evaluation.completed',
  'threshold.crossed',
  'threshold.recovered'
] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** Event that is sent on request, regardless of subscriptions. */
export const testEvent = 'webhook.test'

/** Namespace of delivery ids. Do not change it: past events would be delivered again. */
const deliveryNamespace = '3c7f5f0e-0d0b-5d53-9d0a-6a4d3c1f7b52'

/** The fields that identify a delivery. */
interface DeliveryOrigin {
  readonly webhook_id: string
  readonly decision_id: string
  readonly event: WebhookEvent
  /**
   * Number of ended runs in addition to the planned ones, for example replays; 0 for the first
   * completion.
   */
  readonly repetition: number
}

/**
 * Returns the same id for the same event, even if creating the delivery is interrupted and retried.
 */
export function deliveryIdOf(origin: DeliveryOrigin): string {
  const { webhook_id, decision_id, event, repetition } = origin
  return uuidv5(deliveryNamespace, [webhook_id, decision_id, event, repetition].join('/'))
}

/** A threshold on the pass rate or the mean of a score. */
export interface ScoreThreshold {
  readonly score: string
  /** Null for any evaluator that produces a score with this name. */
  readonly evaluator_id: string | null
  readonly agent_id: string | null
  readonly domain: string | null
  readonly metric: 'pass_rate' | 'mean'
  /** Length in minutes of the measured window, which ends at the time of the measurement. */
  readonly window_minutes: number
  readonly operator: 'below' | 'above'
  readonly value: number
  /**
   * Value at which the state returns to `ok`. It differs from `value`, so that small fluctuations
   * around `value` trigger only one notification.
   */
  readonly recovery_value: number
  /** Minimum number of scores. With fewer, the state does not change. */
  readonly min_n: number
}

export type ThresholdState = 'ok' | 'firing'

/** Returns the state after a measurement. */
export function thresholdStateOf(
  threshold: Pick<ScoreThreshold, 'operator' | 'value' | 'recovery_value'>,
  state: ThresholdState,
  measured: number
): ThresholdState {
  const sign = threshold.operator === 'below' ? 1 : -1
  const limit = state === 'ok' ? threshold.value : threshold.recovery_value
  const isBeyond = (measured - limit) * sign < 0
  return isBeyond ? 'firing' : 'ok'
}

const marginMax = 0.05

/**
 * Returns the default recovery value, a small distance from the threshold. For a rate, the value is
 * between 0 and 1, so that the rate can reach it.
 */
export function recoveryValueOf(
  threshold: Pick<ScoreThreshold, 'metric' | 'operator' | 'value'>
): number {
  const { metric, operator, value } = threshold
  const sign = operator === 'below' ? 1 : -1
  if (metric === 'mean') return value + sign * marginMax * Math.abs(value)
  const room = operator === 'below' ? 1 - value : value
  return value + sign * Math.min(marginMax, room / 2)
}
