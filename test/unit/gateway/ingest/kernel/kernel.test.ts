/** Tests that the kernel changes nothing: it reads exactly what the parser reads, or leaves it. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { fixedCases, randomBodies } from './cases.ts'
import { createComparison } from './compare.ts'

const { compare, compareAll, taken } = createComparison()

test.each(Object.entries(fixedCases))('%s are read like by the parser', async (_name, cases) => {
  expect(await compareAll(cases())).toBeNull()
})

/** Number of random bodies of each format. The weekly run reads many more. */
const runs = Number(process.env['KERNEL_BODIES'] ?? 1000)
const seed = Number(process.env['KERNEL_SEED'] ?? 20_261_128)

test.each(randomBodies)(
  'random bodies (%s) are read like by the parser',
  async (format, texts) => {
    const property = fc.asyncProperty(texts, async (text) => {
      expect(await compare(text, format)).toBeNull()
    })
    await fc.assert(property, { seed, numRuns: runs })
  },
  60_000 + runs * 10
)

test('the kernel took most bodies, so the comparison is not empty', () => {
  process.stdout.write(`the kernel read ${taken.bodies} bodies and ${taken.items} decisions\n`)
  expect(taken.items).toBeGreaterThan(10_000)
})
