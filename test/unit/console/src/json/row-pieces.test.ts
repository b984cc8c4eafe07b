/** Tests how a row is split into pieces: tokens, matches across lines, and invisible characters. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { DisplayLines } from '../../../../../console/src/json/display-lines.ts'
import { findMatches, nothingFound } from '../../../../../console/src/json/find.ts'
import { runSteps } from '../../../../../core/json/steps.ts'
import { indexRaw, indexText } from '../../../../../console/src/json/index-text.ts'
import { piecesOf, textOf, tokensOf } from '../../../../../console/src/json/row-pieces.ts'
import { valueText } from '../../../core/json/json-texts.ts'
import { hostileText } from './hostile-text.ts'

function layOut(text: string, columns: number): DisplayLines {
  return runSteps(indexText(text, columns)).lines
}

function rowsOf(lines: DisplayLines, phrase = '') {
  const found = phrase === '' ? nothingFound : findMatches(lines.text, phrase)
  return Array.from({ length: lines.count }, (_, line) =>
    piecesOf(lines.text, tokensOf(lines, line), found)
  )
}

test('tells names, strings, scalars and marks apart', () => {
  const [, row] = rowsOf(layOut('{ "a" : "b:" , "c":-1}', 400))
  expect(row?.map(({ kind, text }) => [kind, text])).toEqual([
    ...[
      ['name', '"a"'],
      ['mark', ':'],
      ['string', '"b:"'],
      ['mark', ',']
    ]
  ])
})

test('continues a token that is cut', () => {
  const text = `{"${'n'.repeat(50)}":"${'a:,{'.repeat(20)}\\"","x":${'1'.repeat(60)}}`
  const rows = rowsOf(layOut(text, 30)).flat()
  const joined = (kind: string) => rows.filter((row) => row.kind === kind).map((row) => row.text)
  expect(joined('name').join('')).toBe(`"${'n'.repeat(50)}""x"`)
  expect(joined('string').join('')).toBe(`"${'a:,{'.repeat(20)}\\""`)
  expect(joined('scalar').join('')).toBe('1'.repeat(60))
  expect(joined('mark')).toEqual(['{', ':', ',', ':', '}'])
})

test('leaves out nothing but whitespace between tokens', () => {
  fc.assert(
    fc.property(valueText, fc.integer({ min: 20, max: 40 }), (text, columns) => {
      const shown = rowsOf(layOut(text, columns)).flat()
      const [strings, others] = [/"(?:[^"\\]|\\.)*"/gs, /[ \n\r\t]+/g]
      const kept = text.match(strings) ?? []
      const spaceless = text.split(strings).map((part) => part.replace(others, ''))
      const expected = spaceless.map((part, index) => part + (kept[index] ?? '')).join('')
      expect(shown.map((piece) => piece.text).join('')).toBe(expected)
    }),
    { seed: 20_261_127, numRuns: 500 }
  )
})

test('shows a text unchanged', () => {
  const lines = runSteps(indexRaw(hostileText, 40))
  const pieces = Array.from({ length: lines.count }, (_, line) =>
    piecesOf(hostileText, textOf(lines, line), findMatches(hostileText, 'a'))
  )
  expect(
    pieces
      .flat()
      .map(({ text }) => text)
      .join('')
  ).toBe(hostileText)
})

test('marks a match on each line that it crosses', () => {
  const lines = layOut(`["${'x'.repeat(30)}needle${'x'.repeat(30)}"]`, 36)
  const rows = rowsOf(lines, 'NEEDLE')
  expect(rows.map((row) => row.find(({ match }) => match === 0)?.text)).toEqual([
    ...[undefined, 'nee', 'dle', undefined]
  ])
})

test('names the characters that cannot be seen, and no others', () => {
  const named = (text: string) =>
    piecesOf(text, [{ kind: 'text', start: 0, end: text.length }], nothingFound)
      .filter(({ name }) => name !== null)
      .map(({ name }) => name)
  expect(named('a\u202eb\u202c\u200bc\u0000d\ufeff\ud800')).toEqual([
    ...['RLO', 'PDF ZWSP', 'NUL', 'BOM U+D800']
  ])
  expect(named('a\u{e0041}b\u3164\u2800')).toEqual(['U+E0041', 'U+3164 U+2800'])
  expect(named('x\ufe0f\u00a0\u00ad\r\n')).toEqual(['U+FE0F NBSP SHY CR'])
  expect(named('é 😀 ❤️ مرحبا 漢字\t\n')).toEqual([])
})

test('spells out a text that alternates too often', () => {
  const text = '\u202ea'.repeat(100)
  const pieces = piecesOf(text, [{ kind: 'text', start: 0, end: text.length }], nothingFound)
  expect(pieces).toMatchObject([{ text, name: expect.stringMatching(/^ ?(RLO a ?)+$/) }])
})

test('marks the matches near the current one if a token has many', () => {
  const text = 'a'.repeat(100)
  const found = { ...findMatches(text, 'a'), current: 50 }
  const pieces = piecesOf(text, [{ kind: 'text', start: 0, end: 100 }], found)
  expect(pieces.map((piece) => piece.text).join('')).toBe(text)
  const marked = pieces.filter(({ match }) => match >= 0).map(({ match }) => match)
  expect(marked).toEqual(Array.from({ length: 8 }, (_, index) => 46 + index))
})
