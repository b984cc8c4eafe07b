/** Tests that drafts are checked and run in a thread, and that the time is charged to their
 * organization.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createTenantCompute } from '../../../../api/evaluators/tenant-compute.ts'
import type { TenantCompute } from '../../../../api/evaluators/tenant-compute.ts'
import { aDecision } from '../../../support/builders.ts'
import { aVersion } from '../../evaluators/a-version.ts'

let compute: TenantCompute
beforeEach(() => {
  compute = createTenantCompute()
})
afterEach(() => compute.close())

function schemaOf(patterns: readonly string[]) {
  const schema = { allOf: patterns.map((pattern) => ({ pattern })) }
  return { name: 'mine', kind: 'json_schema', config: { schema } }
}

const largePatterns = Array.from({ length: 120 }, (_, index) => `\\p{L}{1000}${index}`)

test('accepts a valid evaluator, and reports all violations of an invalid one', async () => {
  expect(await compute.check('ours', schemaOf(['^a+$', '[0-9]{3}']))).toEqual([])
  const draft = { ...schemaOf(['(?=a)']), self_test: 3 }
  expect((await compute.check('ours', draft)).map(({ pointer }) => pointer)).toEqual([
    '/config/schema/allOf/0/pattern',
    '/self_test'
  ])
})

test('limits the number and the total size of patterns that are compiled', async () => {
  const small = Array.from({ length: 101 }, (_, index) => `${index}`)
  const [tooMany] = await compute.check('ours', schemaOf(small))
  expect(tooMany).toMatchObject({ detail: 'must contain at most 100 patterns' })
  const flaws = await compute.check('ours', schemaOf(largePatterns.slice(0, 90)))
  expect(flaws).toEqual([
    // At this pattern, the total exceeds 5,000 instructions. Later patterns are not checked.
    {
      pointer: '/config/schema/allOf/4/pattern',
      detail: expect.stringContaining('too large together')
    }
  ])
})

test('rejects an organization that has used up its allowance, and no other', async () => {
  compute.allowance.spend('ours', 1000)
  const ours = aDecision({ organization_id: 'ours' })
  const version = aVersion('regex', { pattern: 'a' })
  const refusal = { code: 'compute_limited', options: { headers: { 'retry-after': '60' } } }
  await expect(compute.check('ours', schemaOf(['a']))).rejects.toMatchObject(refusal)
  await expect(compute.try(version, ours)).rejects.toMatchObject(refusal)
  expect(await compute.try(version, aDecision())).toMatchObject({ status: 'succeeded' })
})

test('renews the allowance of an organization after a minute', async () => {
  let now = 0
  const timed = createTenantCompute(() => now)
  const { refuseSpent, spend } = timed.allowance
  spend('ours', 999)
  expect(() => refuseSpent('ours')).not.toThrow()
  now = 20_000
  spend('ours', 1)
  const refusal = { code: 'compute_limited', options: { headers: { 'retry-after': '40' } } }
  await expect(Promise.resolve('ours').then(refuseSpent)).rejects.toMatchObject(refusal)
  expect(() => refuseSpent('theirs')).not.toThrow()
  now = 60_000
  expect(() => refuseSpent('ours')).not.toThrow()
  await timed.close()
})

test('charges for a rejected draft', async () => {
  // Each check takes about 70 ms, so the allowance of one second is used up long before the last
  // attempt.
  const check = async (attempts: number): Promise<number> => {
    const isRefused = await compute.check('ours', schemaOf(largePatterns)).then(
      () => false,
      ({ code }: { code: string }) => code === 'compute_limited'
    )
    return isRefused || attempts === 300 ? attempts : check(attempts + 1)
  }
  expect(await check(1)).toBeLessThan(300)
  expect(await compute.check('theirs', schemaOf(['a']))).toEqual([])
})

test('reports the failure of an evaluator without the decision', async () => {
  const nested = `${'['.repeat(1000)}${']'.repeat(1000)}`
  const schema = { $ref: '#', not: {} }
  const tried = await compute.try(
    aVersion('json_schema', { schema }),
    aDecision({ output: nested })
  )
  expect(tried).not.toHaveProperty('error')
})
