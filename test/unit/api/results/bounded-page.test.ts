/** Tests that several sources are merged into a page, even if the scan of a source ends early. */
import { expect, test } from '@jest/globals'
import { mergePages } from '../../../../api/results/bounded-page.ts'
import type { BoundedRows } from '../../../../api/results/bounded-page.ts'
import { formatCursor } from '../../../../core/cursor.ts'

function line(hour: number, id = `a${hour}`) {
  const sort_key = `2026-01-31T${String(hour).padStart(2, '0')}:00:00.000000Z`
  return { sort_key, decision_id: 'd', id, hour }
}
type Line = ReturnType<typeof line>

/** Returns the position that a scan reports if it ends at this row. */
function end({ sort_key, decision_id, id }: Line) {
  return { sort_key, id: `${decision_id}/${id}` }
}

function source(rows: readonly Line[], endsAt: Line | null = null): BoundedRows<Line> {
  return { rows, endsAt: endsAt && end(endsAt) }
}

const texts = { name: 'helpful' }

const page = (sources: readonly BoundedRows<Line>[], limit: number) =>
  mergePages(sources, { limit, texts }, ({ id }) => id)

/** Returns the page that has these rows and continues after `last`. */
function pageOf(rows: readonly Line[], limit: number, last: Line | null) {
  const next_cursor = last && formatCursor(end(last), texts)
  return { data: rows.map(({ sort_key: _, ...row }) => row), meta: { next_cursor, limit } }
}

test('merges sources, newest first', () => {
  const sources = [source([line(9), line(5)]), source([line(7)])]
  expect(page(sources, 10)).toEqual(pageOf([line(9), line(7), line(5)], 10, null))
})

test('ends at its limit and continues after its last row', () => {
  const sources = [source([line(9), line(7)], line(7)), source([line(8), line(6)])]
  expect(page(sources, 2)).toEqual(pageOf([line(9), line(8)], 2, line(8)))
})

test('ends where the scan of a source ended, even if other rows follow', () => {
  const sources = [source([line(9)], line(8)), source([line(8, 'b'), line(7)])]
  expect(page(sources, 10)).toEqual(pageOf([line(9), line(8, 'b')], 10, line(8)))
  expect(page([source([], line(3))], 10)).toEqual(pageOf([], 10, line(3)))
})

test('lists a row that is in two sources as the later source has it', () => {
  const sources = [source([line(9, 'a')]), source([line(8, 'a'), line(7)])]
  expect(page(sources, 10)).toEqual(pageOf([line(8, 'a'), line(7)], 10, null))
})

test('sorts rows of the same time by descending id', () => {
  const rows = [line(9, 'a'), line(9, 'c'), line(9, 'b')]
  expect(page([source(rows)], 10).data.map(({ id }) => id)).toEqual(['c', 'b', 'a'])
})
