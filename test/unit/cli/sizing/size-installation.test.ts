/** Hardware for an amount of decisions: the arithmetic, and the same figures on the page. */
import { describe, expect, test } from '@jest/globals'
import { sizing } from '../../../../cli/commands/sizing.ts'
import { coefficients } from '../../../../cli/sizing/coefficients.ts'
import type { Coefficient } from '../../../../cli/sizing/coefficients.ts'
import { sizeInstallation } from '../../../../cli/sizing/size-installation.ts'
import type { Workload } from '../../../../cli/sizing/size-installation.ts'
import { topicDefinitions } from '../../../../schemas/index.ts'
import { blocksIn, code, read, rowsOf, sectionOf } from '../../../docs/pages.ts'

const workload: Workload = {
  ...{ rate: 2000, peak: 1, size: 1200, batch: 1, retentionDays: 30 },
  ...{ copies: 3, topicDays: 7, isEvaluated: true }
}

function needsOf(overrides: Partial<Workload>): Record<string, number> {
  const needs = sizeInstallation({ ...workload, ...overrides })
  return Object.fromEntries(needs.map(({ what, value }) => [what, value]))
}

test.each([
  [1, coefficients.gatewayAlone.value],
  [100, coefficients.gatewayBatch.value]
])('a decision in a request of %i costs the gateway what was measured', (batch, expected) => {
  expect(needsOf({ batch })['gateway']).toBeCloseTo((2000 * expected) / 1e6 / 0.6, 6)
})

test('disk is what a day brings, for so many days and copies', () => {
  const { topicExtra, evaluationRecord, rowExtra, evaluationRows } = coefficients
  const perDay = (2000 * 86_400) / 1e9
  expect(needsOf({})).toMatchObject({
    'disk of brokers, together': expect.closeTo(
      perDay * 7 * 3 * (1200 + topicExtra.value + evaluationRecord.value)
    ) as unknown,
    'disk of Postgres': expect.closeTo(
      perDay * 30 * (1200 + rowExtra.value + evaluationRows.value)
    ) as unknown
  })
})

test('a peak costs cores and no disk', () => {
  const [calm, busy] = [needsOf({}), needsOf({ peak: 3 })]
  expect(busy['storage']).toBeCloseTo(3 * (calm['storage'] ?? 0))
  expect(busy['disk of Postgres']).toBe(calm['disk of Postgres'])
})

test('little needs two gateways, one member and twelve partitions all the same', () => {
  expect(needsOf({ rate: 1 })).toMatchObject({ gateways: 2, members: 1, partitions: 12 })
})

test('without evaluation nothing of it is counted', () => {
  const needs = needsOf({ isEvaluated: false })
  expect(needs).not.toHaveProperty('evaluation')
  const evaluations = (2000 * 86_400 * 30 * coefficients.evaluationRows.value) / 1e9
  expect((needsOf({})['disk of Postgres'] ?? 0) - (needs['disk of Postgres'] ?? 0)).toBeCloseTo(
    evaluations
  )
})

describe('docs/sizing.md', () => {
  test('has each coefficient, as it is, and no other', () => {
    const documented = rowsOf(sectionOf('docs/sizing.md', 'What does a decision cost?'))
    const existing = Object.values<Coefficient>(coefficients).map(
      ({ what, value, unit, measuredBy }) => [what, String(value), unit, code(measuredBy)]
    )
    expect(documented.map((cells) => cells.slice(0, 4))).toEqual(existing)
  })

  test('keeps topics as long as they are kept', () => {
    const section = sectionOf('docs/sizing.md', 'How long are things kept?')
    const [live, letters] = rowsOf(section).map(([, days]) => days)
    const isLetter = (role: string): boolean => role.endsWith('dead_letter')
    const told = topicDefinitions.map(({ role }) => (isLetter(role) ? letters : live))
    const kept = topicDefinitions.map(({ config }) => Number(config['retention.ms']) / 86_400_000)
    expect(told).toEqual(kept.map((days) => `${days} days`))
  })

  test('shows what the command prints', () => {
    const lines: string[] = []
    const { isEvaluated: evaluation, ...options } = { ...workload, peak: 3 }
    sizing({ ...options, evaluation }, (line) => lines.push(line))
    const [shown] = blocksIn(read('docs/sizing.md'), '').filter((block) => block.startsWith('what'))
    expect(shown?.trimEnd().split('\n')).toEqual(lines)
  })
})
