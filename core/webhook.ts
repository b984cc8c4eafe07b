/** Webhooks: what an organization is told, and under which id. */
import { uuidv5 } from './ids/ids.ts'

/** What can be subscribed to. */
export const webhookEvents = [
  'evaluation.completed',
  'threshold.crossed',
  'threshold.recovered'
] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** Sent when somebody asks for it, whatever is subscribed to. */
export const testEvent = 'webhook.test'

/** Namespace of delivery ids. Were it to change, what was told already would be told once more. */
const deliveryNamespace = '3c7f5f0e-0d0b-5d53-9d0a-6a4d3c1f7b52'

/** What makes a delivery that one and no other. */
export interface DeliveryOrigin {
  readonly webhook_id: string
  readonly decision_id: string
  readonly event: WebhookEvent
  /** 0, and more when runs that were repeated have ended. */
  readonly repetition: number
}

/** The same for the same event, however often whoever tells it is interrupted. */
export function deliveryIdOf(origin: DeliveryOrigin): string {
  const { webhook_id, decision_id, event, repetition } = origin
  return uuidv5(deliveryNamespace, [webhook_id, decision_id, event, repetition].join('/'))
}

/** A score of which is told how it fares: a share of passes, or a mean. */
export interface ScoreThreshold {
  readonly score: string
  /** Null: of whichever evaluator gives a score of that name. */
  readonly evaluator_id: string | null
  readonly agent_id: string | null
  readonly domain: string | null
  readonly metric: 'pass_rate' | 'mean'
  /** The scores of so many minutes before now. */
  readonly window_minutes: number
  readonly operator: 'below' | 'above'
  readonly value: number
  /** Where it is well again: beyond `value`, so that what wavers about it is told once. */
  readonly recovery_value: number
  /** With fewer scores nothing is said. */
  readonly min_n: number
}

export type ThresholdState = 'ok' | 'firing'

/** @returns the state that follows; the same when there is nothing to tell. */
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
 * Where it is well again unless somebody says where: a little beyond the threshold. A rate has its
 * end at 0 or 1, and has to be able to get there.
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
