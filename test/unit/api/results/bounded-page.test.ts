/** Pages made of several sources, each of which may end early. */
import { expect, test } from '@jest/globals'
import { pageOf } from '../../../../api/results/bounded-page.ts'
import type { BoundedRows } from '../../../../api/results/bounded-page.ts'

interface Line {
  readonly sort_key: string
  readonly decision_id: string
  readonly id: string
}

function line(hour: number, id = 'a'): Line {
  const sort_key = `2026-01-31T${String(hour).padStart(2, '0')}:00:00.000000Z`
  return { sort_key, decision_id: 'd', id }
}

/** Where a page ends. */
function end({ sort_key, decision_id, id }: Line) {
  return { sort_key, id: `${decision_id}/${id}` }
}

function source(rows: readonly Line[], endsAt: Line | null = null): BoundedRows<Line> {
  return { rows, endsAt: endsAt && end(endsAt) }
}

const page = (sources: readonly BoundedRows<Line>[], limit: number) =>
  pageOf(sources, { limit, idOf: ({ id }) => id })

test('puts sources together, the newest first', () => {
  const sources = [source([line(9), line(5)]), source([line(7)])]
  expect(page(sources, 10)).toEqual({ rows: [line(9), line(7), line(5)], next: null })
})

test('ends at its limit, and goes on behind its last row', () => {
  const sources = [source([line(9), line(7)], line(7)), source([line(8), line(6)])]
  expect(page(sources, 2)).toEqual({ rows: [line(9), line(8)], next: end(line(8)) })
})

test('ends where a source was not looked through, though there be rows beyond', () => {
  const sources = [source([line(9)], line(8)), source([line(8, 'b'), line(7)])]
  expect(page(sources, 10)).toEqual({ rows: [line(9), line(8, 'b')], next: end(line(8)) })
  expect(page([source([], line(3))], 10)).toEqual({ rows: [], next: end(line(3)) })
})

test('of two at one moment the greater id comes first', () => {
  const rows = [line(9, 'a'), line(9, 'c'), line(9, 'b')]
  expect(page([source(rows)], 10).rows.map(({ id }) => id)).toEqual(['c', 'b', 'a'])
})
