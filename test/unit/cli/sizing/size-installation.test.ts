/** Tests the sizing arithmetic, and that the documentation has the same values. */
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
  return Object.fromEntries(needs.map(({ resource, value }) => [resource, value]))
}

test.each([
  [1, coefficients.gatewayAlone.value],
  [100, coefficients.gatewayBatch.value]
])('computes the measured gateway cost in requests of %i decisions', (batch, expected) => {
  expect(needsOf({ batch })['gateway']).toBeCloseTo((2000 * expected) / 1e6 / 0.6, 6)
})

test('multiplies the bytes of a day by days and replicas', () => {
  const { topicExtra, evaluationRecord, rowExtra, evaluationRows } = coefficients
  const perDay = (2000 * 86_400) / 1e9
  expect(needsOf({})).toMatchObject({
    'broker disks, in total': expect.closeTo(
      perDay * 7 * 3 * (1200 + topicExtra.value + evaluationRecord.value)
    ) as unknown,
    'Postgres disk': expect.closeTo(
      perDay * 30 * (1200 + rowExtra.value + evaluationRows.value)
    ) as unknown
  })
})

test('adds cores but no disk for a peak', () => {
  const [calm, busy] = [needsOf({}), needsOf({ peak: 3 })]
  expect(busy['storage']).toBeCloseTo(3 * (calm['storage'] ?? 0))
  expect(busy['Postgres disk']).toBe(calm['Postgres disk'])
})

test('returns at least two gateways, one member and twelve partitions', () => {
  expect(needsOf({ rate: 1 })).toMatchObject({ gateways: 2, members: 1, partitions: 12 })
})

test('excludes evaluation with isEvaluated: false', () => {
  const needs = needsOf({ isEvaluated: false })
  expect(needs).not.toHaveProperty('evaluation')
  const evaluations = (2000 * 86_400 * 30 * coefficients.evaluationRows.value) / 1e9
  expect((needsOf({})['Postgres disk'] ?? 0) - (needs['Postgres disk'] ?? 0)).toBeCloseTo(
    evaluations
  )
})

describe('docs/guides/operations/sizing.md', () => {
  test('has every coefficient and no other', () => {
    const documented = rowsOf(sectionOf('docs/guides/operations/sizing.md', 'Cost of a decision'))
    const existing = Object.values<Coefficient>(coefficients).map(
      ({ what, value, unit, measuredBy }) => [what, String(value), unit, code(measuredBy)]
    )
    expect(documented.map((cells) => cells.slice(0, 4))).toEqual(existing)
  })

  test('has the retention of the topics', () => {
    const section = sectionOf('docs/guides/operations/sizing.md', 'Retention')
    const [messages, deadLetters] = rowsOf(section).map(([, days]) => days)
    const isDeadLetter = (role: string): boolean => role.endsWith('dead_letter')
    const documented = topicDefinitions.map(({ role }) =>
      isDeadLetter(role) ? deadLetters : messages
    )
    const kept = topicDefinitions.map(({ config }) => Number(config['retention.ms']) / 86_400_000)
    expect(documented).toEqual(kept.map((days) => `${days} days`))
  })

  test('has the output of the command', () => {
    const lines: string[] = []
    const { isEvaluated: evaluation, ...options } = { ...workload, peak: 3 }
    sizing({ ...options, evaluation }, (line) => lines.push(line))
    const [shown] = blocksIn(read('docs/guides/operations/sizing.md'), '').filter((block) =>
      block.startsWith('resource')
    )
    expect(shown?.trimEnd().split('\n')).toEqual(lines)
  })
})
