/** Tests that a time range is split into pieces of growing length that cover the whole range. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { timePiecesOf } from '../../../../api/decisions/walk-decisions.ts'

const dayMs = 86_400_000
const now = Date.UTC(2026, 0, 31, 12)

test('starts with today, in growing pieces', () => {
  const from = new Date(now - 7 * dayMs)
  const pieces = timePiecesOf({ from, to: null }, now)
  expect(pieces.map((piece) => [piece.from.toISOString(), piece.to?.toISOString()])).toEqual([
    ['2026-01-31T00:00:00.000Z', undefined],
    ['2026-01-29T00:00:00.000Z', '2026-01-31T00:00:00.000Z'],
    ['2026-01-25T00:00:00.000Z', '2026-01-29T00:00:00.000Z'],
    ['2026-01-24T12:00:00.000Z', '2026-01-25T00:00:00.000Z']
  ])
})

const moment = fc.integer({ min: 0, max: 20_500 * dayMs })

test('covers the whole range without gaps, in pieces of at most 33 days', () => {
  fc.assert(
    fc.property(moment, fc.option(moment), (one, other) => {
      const from = new Date(other === null ? one : Math.min(one, other))
      const to = other === null ? null : new Date(Math.max(one, other) + 1)
      const pieces = timePiecesOf({ from, to }, now)
      expect([pieces[0]?.to, pieces.at(-1)?.from]).toEqual([to, from])
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) expect(piece.to).toEqual(pieces[index - 1]?.from)
        expect(piece.to === null || piece.from < piece.to).toBe(true)
      }
      expect(pieces.length).toBeLessThanOrEqual(41)
      const inner = pieces.slice(1, -1)
      expect(inner.every((piece) => Number(piece.to) - Number(piece.from) <= 32 * dayMs)).toBe(true)
    })
  )
})
