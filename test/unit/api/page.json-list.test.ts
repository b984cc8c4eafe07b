/** Tests that long lists are serialized to JSON without blocking the event loop. */
import { expect, test } from '@jest/globals'
import { jsonListOf } from '../../../api/page.ts'

test('returns the JSON text of the views, in order', async () => {
  const entries = [{ a: 1 }, { a: 'two', more: [null] }, { a: undefined }]
  const viewOf = (entry: object) => ({ ...entry, seen: true })
  expect(await jsonListOf(entries, viewOf)).toBe(JSON.stringify(entries.map(viewOf)))
  expect(await jsonListOf([], viewOf)).toBe('[]')
})

test('yields to the event loop while it serializes a long list', async () => {
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
