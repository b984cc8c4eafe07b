/** Tests that a cursor is parsed back to its position, but only with the filters that it was made
 * for.
 */
import { expect, test } from '@jest/globals'
import { parseCursor, formatCursor } from '../../../core/cursor.ts'

const position = {
  sort_key: '2026-01-31T12:00:00.123456Z',
  id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
}
const filters = { agent_id: 'refund-agent', from: undefined }

function cursorOf(parts: unknown): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

test('parses back to its position', () => {
  const cursor = formatCursor(position, filters)
  expect(cursor).toMatch(/^[\w-]+$/)
  expect(parseCursor(cursor, filters)).toEqual({ kind: 'position', position })
})

test.each([0, -1.5, null, 2 ** 53])('parses back to the value %s', (value) => {
  const cursor = formatCursor({ ...position, value }, filters)
  const read = { kind: 'position', position: { ...position, value } }
  expect(parseCursor(cursor, filters)).toEqual(read)
})

test('ignores the order of filters and undefined filters', () => {
  const cursor = formatCursor(position, { agent_id: 'a', domain: 'd' })
  expect(parseCursor(cursor, { domain: 'd', session_id: undefined, agent_id: 'a' }).kind).toBe(
    'position'
  )
})

test('is rejected with other filters', () => {
  const cursor = formatCursor(position, filters)
  expect(parseCursor(cursor, { agent_id: 'other' })).toEqual({ kind: 'other_filters' })
  expect(parseCursor(cursor, {})).toEqual({ kind: 'other_filters' })
  expect(parseCursor(cursor, { agent_id: 'refund-agent', domain: 'd' })).toEqual({
    kind: 'other_filters'
  })
})

const hash = 'a'.repeat(16)
const malformed: [string, string][] = [
  ['nothing', ''],
  ['no base64url', '§§§'],
  ['no JSON', Buffer.from('{').toString('base64url')],
  ['an object', cursorOf({})],
  ['too few parts', cursorOf([position.sort_key])],
  ['too many parts', cursorOf([position.sort_key, position.id, hash, 1])],
  ['two values', cursorOf([position.sort_key, position.id, hash, [1, 2]])],
  ['an invalid value', cursorOf([position.sort_key, position.id, hash, ['1']])],
  ['two lists', cursorOf([position.sort_key, position.id, hash, [1], [1]])],
  ['numbers', cursorOf([1, 2, 3])],
  ['an invalid id', cursorOf([position.sort_key, "' or true --", hash])],
  ['an invalid time', cursorOf(['yesterday', position.id, hash])],
  ['30 February', cursorOf(['2026-02-30T12:00:00.000000Z', position.id, hash])],
  ['the year 0', cursorOf(['0000-01-01T00:00:00.000000Z', position.id, hash])],
  ['the year 9999', cursorOf(['9999-12-31T23:59:59.999999Z', position.id, hash])],
  ['the hour 25', cursorOf(['2026-01-01T25:30:00.000000Z', position.id, hash])],
  ['an overlong text', 'A'.repeat(100_000)]
]

test.each(malformed)('rejects %s', (_, text) => {
  expect(parseCursor(text, {})).toEqual({ kind: 'malformed' })
})
