/** Tests that each request shape is reproducible and carries every decision exactly once. */
import { expect, test } from '@jest/globals'
import { shapes } from '../../../../bench/load/shapes.ts'
import type { BodyKind, ShapeName } from '../../../../bench/load/shapes.ts'
import { writePythonJson } from '../../../../bench/load/python-json.ts'
import { makeDecisions, makeUnicodeDecisions } from '../../../../bench/load/decisions.ts'

const names = Object.keys(shapes) as ShapeName[]

/** Returns the contents as text, because Jest compares buffers byte by byte, which is slow. */
function contentsOf(name: ShapeName) {
  return shapes[name].bodies().map(({ content, group }) => [group, content.toString('latin1')])
}

test.each(names)('%s is the same in each run', (name) => {
  expect(contentsOf(name)).toEqual(contentsOf(name))
})

test.each(names)('%s carries every decision once', (name) => {
  const { bodies, decisions } = shapes[name]
  expect(bodies().length * decisions).toBe(makeDecisions().length)
})

test.each<[BodyKind, number]>([
  ['plain', 1225],
  ['unicode', 1283],
  ['python', 1400]
])('creates %s decisions of about %d bytes', (kind, expected) => {
  const sizes = shapes.decision.bodies(kind).map(({ content }) => content.length)
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  expect(Math.abs(mean - expected)).toBeLessThan(20)
})

test('sends the same unicode decisions as JavaScript and as Python write them', () => {
  const [unicode, python] = (['unicode', 'python'] as const).map((kind) =>
    String(shapes.batch.bodies(kind)[0]?.content)
  )
  const decisions = makeUnicodeDecisions().slice(0, 100)
  expect(unicode === JSON.stringify({ decisions })).toBe(true)
  expect(python === writePythonJson({ decisions })).toBe(true)
  expect(JSON.parse(python ?? '')).toEqual({ decisions })
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
  const groups = shapes.decision.bodies('hot-agent').map(({ group }) => group)
  expect(groups.filter((group) => group === 'hot')).toHaveLength(900)
  expect(new Set(groups)).toEqual(new Set(['hot', 'neighbours', 'others']))
})
