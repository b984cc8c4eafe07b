/** Long lists as JSON: the same text as in one go, and other work has its turn meanwhile. */
import { expect, test } from '@jest/globals'
import { jsonListOf } from '../../../api/json-list.ts'

test('is the JSON text of the views, in their order', async () => {
  const entries = [{ a: 1 }, { a: 'two', more: [null] }, { a: undefined }]
  const viewOf = (entry: object) => ({ ...entry, seen: true })
  expect(await jsonListOf(entries, viewOf)).toBe(JSON.stringify(entries.map(viewOf)))
  expect(await jsonListOf([], viewOf)).toBe('[]')
})

test('a long list is not made in one turn of the event loop', async () => {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  count()
  const seenIn = new Set<number>()
  const viewOf = (): number => {
    seenIn.add(turns)
    const endsAt = performance.now() + 1
    while (performance.now() < endsAt);
    return turns
  }
  await jsonListOf(
    Array.from({ length: 50 }, (_, index) => index),
    viewOf
  )
  isOver = true
  expect(seenIn.size).toBeGreaterThan(1)
})
