/** What tenants wrote may compute for a second of each organization's minute, and no more. */
import { expect, test } from '@jest/globals'
import { createComputeAllowance } from '../../../../api/evaluators/compute-allowance.ts'

test('it is spent within a minute, by one organization for itself', () => {
  let now = 0
  const allowance = createComputeAllowance(() => now)
  allowance.spend('ours', 999)
  expect(allowance.secondsToWait('ours')).toBe(0)
  now = 20_000
  allowance.spend('ours', 1)
  expect([allowance.secondsToWait('ours'), allowance.secondsToWait('theirs')]).toEqual([40, 0])
  now = 60_000
  expect(allowance.secondsToWait('ours')).toBe(0)
})
