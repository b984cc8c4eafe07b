/** A cursor leads back to its place, for its own filters, and to nothing else. */
import { expect, test } from '@jest/globals'
import { readCursor, writeCursor } from '../../../core/cursor.ts'

const position = {
  sort_key: '2026-01-31T12:00:00.123456Z',
  id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
}
const filters = { agent_id: 'refund-agent', from: undefined }

function cursorOf(parts: unknown): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

test('leads back to its place', () => {
  const cursor = writeCursor(position, filters)
  expect(cursor).toMatch(/^[\w-]+$/)
  expect(readCursor(cursor, filters)).toEqual({ kind: 'position', position })
})

test.each([0, -1.5, null, 2 ** 53])('leads back to the value %s', (value) => {
  const cursor = writeCursor({ ...position, value }, filters)
  const read = { kind: 'position', position: { ...position, value } }
  expect(readCursor(cursor, filters)).toEqual(read)
})

test('the order of filters does not matter, and an absent one is none', () => {
  const cursor = writeCursor(position, { agent_id: 'a', domain: 'd' })
  expect(readCursor(cursor, { domain: 'd', session_id: undefined, agent_id: 'a' }).kind).toBe(
    'position'
  )
})

test('belongs to its filters', () => {
  const cursor = writeCursor(position, filters)
  expect(readCursor(cursor, { agent_id: 'other' })).toEqual({ kind: 'other_filters' })
  expect(readCursor(cursor, {})).toEqual({ kind: 'other_filters' })
  expect(readCursor(cursor, { agent_id: 'refund-agent', domain: 'd' })).toEqual({
    kind: 'other_filters'
  })
})

const hash = 'a'.repeat(16)
const garbled: [string, string][] = [
  ['nothing', ''],
  ['no base64url', '§§§'],
  ['no JSON', Buffer.from('{').toString('base64url')],
  ['an object', cursorOf({})],
  ['too few parts', cursorOf([position.sort_key])],
  ['too many parts', cursorOf([position.sort_key, position.id, hash, 1])],
  ['two values', cursorOf([position.sort_key, position.id, hash, [1, 2]])],
  ['a value that is none', cursorOf([position.sort_key, position.id, hash, ['1']])],
  ['two lists', cursorOf([position.sort_key, position.id, hash, [1], [1]])],
  ['numbers', cursorOf([1, 2, 3])],
  ['an id that is none', cursorOf([position.sort_key, "' or true --", hash])],
  ['a time that is none', cursorOf(['yesterday', position.id, hash])],
  ['30 February', cursorOf(['2026-02-30T12:00:00.000000Z', position.id, hash])],
  ['the year 0', cursorOf(['0000-01-01T00:00:00.000000Z', position.id, hash])],
  ['the year 9999', cursorOf(['9999-12-31T23:59:59.999999Z', position.id, hash])],
  ['half past 25', cursorOf(['2026-01-01T25:30:00.000000Z', position.id, hash])],
  ['far too much', 'A'.repeat(100_000)]
]

test.each(garbled)('refuses %s', (_, text) => {
  expect(readCursor(text, {})).toEqual({ kind: 'garbled' })
})
