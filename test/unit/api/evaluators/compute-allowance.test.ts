/** Trials compute in the gateway: a second of each organization's minute, and no more. */
import { expect, test } from '@jest/globals'
import { createComputeAllowance } from '../../../../api/evaluators/compute-allowance.ts'
import { createTryOffline } from '../../../../api/evaluators/try-evaluator.ts'
import { aDecision } from '../../../support/builders.ts'
import { aVersion } from '../../evaluators/a-version.ts'

test('it is spent within a minute, by one organization for itself', () => {
  let now = 0
  const allowance = createComputeAllowance(() => now)
  allowance.spend('ours', 999)
  expect(allowance.isSpent('ours')).toBe(false)
  allowance.spend('ours', 1)
  expect([allowance.isSpent('ours'), allowance.isSpent('theirs')]).toEqual([true, false])
  now = 60_000
  expect(allowance.isSpent('ours')).toBe(false)
})

test('whoever has spent it computes no more, in whatever request', async () => {
  const version = aVersion('regex', { pattern: 'a' })
  const allowance = createComputeAllowance(() => 0)
  const decision = aDecision()
  const outcome = () => createTryOffline(version, allowance)(decision)
  expect(await outcome()).toMatchObject({ status: 'succeeded' })
  allowance.spend(decision.organization_id, 1000)
  expect(await outcome()).toMatchObject({
    ...{ status: 'failed', status_reason: 'code_timeout' },
    error: expect.stringContaining('a minute')
  })
  const theirs = aDecision({ organization_id: '01938c4e-0000-7000-8000-2f6d1c1b8a55' })
  expect(await createTryOffline(version, allowance)(theirs)).toMatchObject({ status: 'succeeded' })
})
