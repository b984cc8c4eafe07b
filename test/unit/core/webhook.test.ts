/** Tests delivery ids, and when a threshold counts as crossed or recovered. */
import { describe, expect, test } from '@jest/globals'
import { deliveryIdOf, recoveryValueOf, thresholdStateOf } from '../../../core/webhook.ts'

describe('the id of a delivery', () => {
  const origin = {
    webhook_id: 'whk_1',
    decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
    event: 'evaluation.completed',
    repetition: 0
  } as const

  test('never changes between releases: receivers detect duplicates by it', () => {
    expect(deliveryIdOf(origin)).toBe('9eb8d38f-0f79-55d9-bd34-33e78bdd55bd')
  })

  test('differs by webhook and repetition', () => {
    const others = [{ webhook_id: 'whk_2' }, { repetition: 1 }, { event: 'threshold.crossed' }]
    const ids = others.map((other) => deliveryIdOf({ ...origin, ...other } as typeof origin))
    expect(new Set([deliveryIdOf(origin), ...ids]).size).toBe(4)
  })
})

describe('a threshold', () => {
  const below = { operator: 'below', value: 0.9, recovery_value: 0.95 } as const
  const above = { operator: 'above', value: 0.2, recovery_value: 0.1 } as const

  test.each([
    [below, 0.89, 'firing'],
    [below, 0.9, 'ok'],
    [above, 0.21, 'firing'],
    [above, 0.2, 'ok']
  ] as const)('fires beyond its value', (threshold, measured, state) => {
    expect(thresholdStateOf(threshold, 'ok', measured)).toBe(state)
  })

  test.each([
    [below, 0.93, 'firing'],
    [below, 0.95, 'ok'],
    [above, 0.15, 'firing'],
    [above, 0.1, 'ok']
  ] as const)('recovers only at its recovery value', (threshold, measured, state) => {
    expect(thresholdStateOf(threshold, 'firing', measured)).toBe(state)
  })

  test.each([
    ['pass_rate', 'below', 0.9, 0.95],
    ['pass_rate', 'below', 0.99, 0.995],
    ['pass_rate', 'above', 0.02, 0.01],
    ['mean', 'below', 40, 42],
    ['mean', 'above', -2, -2.1]
  ] as const)('%s %s %d recovers at %d', (metric, operator, value, expected) => {
    expect(recoveryValueOf({ metric, operator, value })).toBeCloseTo(expected, 9)
  })
})
