/** Tests that each request shape is reproducible and carries every decision exactly once. */
import { expect, test } from '@jest/globals'
import { shapes } from '../../../../bench/load/shapes.ts'
import type { Body, ShapeName } from '../../../../bench/load/shapes.ts'
import { makeDecisions } from '../../../../bench/load/decisions.ts'

const names = Object.keys(shapes) as ShapeName[]

/** Returns the contents as text, because Jest compares buffers byte by byte, which is slow. */
function contentsOf(name: ShapeName) {
  const bodies: readonly Body[] = shapes[name].bodies()
  return bodies.map(({ content, group }) => [group, content.toString('latin1')])
}

test.each(names)('%s is the same in each run', (name) => {
  expect(contentsOf(name)).toEqual(contentsOf(name))
})

test.each(names)('%s carries every decision once', (name) => {
  const { bodies, decisions } = shapes[name]
  expect(bodies().length * decisions).toBe(makeDecisions().length)
})

test('creates decisions of about 1.2 kB', () => {
  const sizes = shapes.decision.bodies().map(({ content }) => content.length)
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  expect(mean).toBeGreaterThan(1100)
  expect(mean).toBeLessThan(1300)
})

test('puts the same decisions into a JSON batch and an NDJSON batch', () => {
  const texts = makeDecisions().slice(0, 100)
  const [batch] = shapes.batch.bodies()
  const [lines] = shapes.ndjson.bodies()
  expect(JSON.parse(String(batch?.content))).toEqual({ decisions: texts })
  const parsed = String(lines?.content)
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  expect(parsed).toEqual(texts)
})

test('assigns nine of ten decisions to the hot agent and groups its responses', () => {
  const groups = shapes['hot-agent'].bodies().map(({ group }) => group)
  expect(groups.filter((group) => group === 'hot')).toHaveLength(900)
  expect(new Set(groups)).toEqual(new Set(['hot', 'neighbours', 'others']))
})
