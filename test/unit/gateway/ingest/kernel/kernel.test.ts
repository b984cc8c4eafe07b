/** Tests that the kernel changes nothing: it reads exactly what the parser reads, or leaves it. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { loadIsJson, loadKernel } from '../../../../../gateway/ingest/kernel/kernel.ts'
import { BufferPool } from '../../../../../platform/process/buffer-pool.ts'
import { createReaders, organizationId, principal } from '../fakes.ts'
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

test('no byte of a body of another organization is in a later record', async () => {
  const pool = new BufferPool()
  const readers = createReaders({ kernel: loadKernel(), pool })
  const request = { headers: { 'content-type': 'application/json' }, idAt: () => null }
  const read = async (body: string, owner: string) => {
    const from = { ...request, principal: { ...principal, organization_id: owner } }
    const batch = await readers.readBatch(Buffer.from(body), from)
    const bytes = batch.buffers.map((buffer, index) =>
      buffer?.toString('latin1', batch.starts[index], batch.ends[index])
    )
    batch.release()
    return bytes.join('')
  }
  const secret = `{"input":"${'SECRET'.repeat(200)}","output":"SECRET","agent_id":"SECRET"}`
  const other = '01938c4e-3333-7000-8000-5b7a9f002f6d'
  for (let length = 1; length < 400; length++) {
    const records = await read(`{"decisions":[${secret},${secret}]}`, other)
    expect(records).toContain('SECRET')
    const plain = `{"decisions":[{"input":1,"output":"${'x'.repeat(length)}"},{"input":2}]}`
    for (const body of [plain, plain.slice(0, length)]) {
      const later = await read(body, organizationId).catch(() => '')
      expect(later).not.toContain('SECRET')
      expect(later).not.toContain(other)
    }
  }
})

test('a text that the kernel takes for JSON is JSON', () => {
  const isJson = loadIsJson()
  const change = fc.record({
    text: fc.json(),
    cut: fc.nat(30),
    rest: fc.constantFrom('', ' ', ',1')
  })
  let taken = 0
  fc.assert(
    fc.property(change, ({ text, cut, rest }) => {
      // The bytes of the text before must not complete the next one.
      expect(isJson(Buffer.from(`${text} `))).toBe(true)
      const changed = text.slice(0, cut) + rest
      if (!isJson(Buffer.from(changed))) return
      taken += 1
      expect(() => JSON.parse(changed) as unknown).not.toThrow()
    }),
    { numRuns: 2000 }
  )
  expect(taken).toBeGreaterThan(200)
  expect(isJson(Buffer.from(''))).toBe(false)
  expect(isJson(Buffer.from(`"${'x'.repeat(1024 * 1024)}"`))).toBe(false)
})
