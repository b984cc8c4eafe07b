/** Tests that each line has the JSON pointer and the raw text of its value. */
import { expect, test } from '@jest/globals'
import { runSteps } from '../../../../../core/json/steps.ts'
import { indexText } from '../../../../../console/src/json/index-text.ts'
import { pointerAt, valueAt } from '../../../../../console/src/json/json-path.ts'
import { hostileText } from './hostile-text.ts'

function linesOf(text: string, columns = 400) {
  const { lines } = runSteps(indexText(text, columns))
  return Array.from({ length: lines.count }, (_, line) => ({
    pointer: pointerAt(lines, line),
    value: valueAt(lines, line)
  }))
}

test('names the value of each line, and of a bracket the whole object or array', () => {
  const text = '{"a/b" : [1, {"~":[ ]},[2]], "c":-0 }'
  const array = '[1, {"~":[ ]},[2]]'
  expect(linesOf(text)).toEqual([
    { pointer: '', value: text },
    { pointer: '/a~1b', value: array },
    { pointer: '/a~1b/0', value: '1' },
    { pointer: '/a~1b/1', value: '{"~":[ ]}' },
    { pointer: '/a~1b/1/~0', value: '[ ]' },
    { pointer: '/a~1b/1', value: '{"~":[ ]}' },
    { pointer: '/a~1b/2', value: '[2]' },
    { pointer: '/a~1b/2/0', value: '2' },
    { pointer: '/a~1b/2', value: '[2]' },
    { pointer: '/a~1b', value: array },
    { pointer: '/c', value: '-0' },
    { pointer: '', value: text }
  ])
})

test('keeps numbers, escapes and names that a parser changes', () => {
  const lines = linesOf(hostileText)
  const valuesOf = (pointer: string): string[] =>
    lines.filter((line) => line.pointer === pointer).map(({ value }) => value)
  expect(valuesOf('/big')).toEqual(['9007199254740993'])
  expect(valuesOf('/exp')).toEqual(['1e400'])
  expect(valuesOf('/zero')).toEqual(['-0'])
  expect(valuesOf('/same')).toEqual(['1', '2', '3'])
  expect(valuesOf('/nul')).toEqual([String.raw`"a\u0000b"`])
  expect(valuesOf('/lone')).toEqual([String.raw`"\ud800"`])
  expect(valuesOf('/__proto__')).toEqual(['{"x":1}', '{"x":1}'])
  expect(valuesOf('/__proto__/x')).toEqual(['1'])
  expect(valuesOf('/')).toEqual(['""'])
  expect(valuesOf('/a~1b~0c/2/0')).toEqual(['null'])
})

test('gives each line of a cut string or of a cut name the same value', () => {
  const value = `"${'v'.repeat(90)}"`
  const name = 'n'.repeat(90)
  const lines = linesOf(`[0,{"${name}":${value},"${name}":[1]}]`, 40)
  const ofString = lines.filter((line) => line.value === value)
  expect(ofString.length).toBeGreaterThan(4)
  expect(new Set(ofString.map(({ pointer }) => pointer))).toEqual(new Set([`/1/${name}`]))
  expect(lines.find((line) => line.value === '1')?.pointer).toBe(`/1/${name}/0`)
})
