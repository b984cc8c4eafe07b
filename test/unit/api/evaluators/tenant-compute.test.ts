/** What tenants wrote is checked and tried in a thread, in turns, and charged to who wrote it. */
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

test('a sound evaluator has nothing wrong, and another is told all that is', async () => {
  expect(await compute.check('ours', schemaOf(['^a+$', '[0-9]{3}']))).toEqual([])
  const draft = { ...schemaOf(['(?=a)']), self_test: 3 }
  expect((await compute.check('ours', draft)).map(({ pointer }) => pointer)).toEqual([
    '/config/schema/allOf/0/pattern',
    '/self_test'
  ])
})

test('patterns are counted, and only so many of them compiled', async () => {
  const small = Array.from({ length: 101 }, (_, index) => `${index}`)
  const [tooMany] = await compute.check('ours', schemaOf(small))
  expect(tooMany).toMatchObject({ detail: 'must hold at most 100 patterns' })
  const flaws = await compute.check('ours', schemaOf(largePatterns.slice(0, 90)))
  expect(flaws).toEqual([
    // The one that goes beyond 5,000 instructions; those behind it are not looked at.
    {
      pointer: '/config/schema/allOf/4/pattern',
      detail: expect.stringContaining('too large together')
    }
  ])
})

test('who has spent the allowance is refused, and nobody else', async () => {
  compute.allowance.spend('ours', 1000)
  const ours = aDecision({ organization_id: 'ours' })
  const version = aVersion('regex', { pattern: 'a' })
  const refusal = { code: 'compute_limited', options: { headers: { 'retry-after': '60' } } }
  await expect(compute.check('ours', schemaOf(['a']))).rejects.toMatchObject(refusal)
  await expect(compute.try(version, ours)).rejects.toMatchObject(refusal)
  expect(await compute.try(version, aDecision())).toMatchObject({ status: 'succeeded' })
})

test('a refused draft is charged as well', async () => {
  // Some 70 ms each: a second is over long before the last.
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

test('an evaluator that fails says why without the decision', async () => {
  const nested = `${'['.repeat(1000)}${']'.repeat(1000)}`
  const schema = { $ref: '#', not: {} }
  const tried = await compute.try(
    aVersion('json_schema', { schema }),
    aDecision({ output: nested })
  )
  expect(tried).not.toHaveProperty('error')
})
