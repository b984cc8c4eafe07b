/** Ids of tails: what they say comes back, and what is none of ours is nobody's place. */
import { expect, test } from '@jest/globals'
import { writeCursor } from '../../../../../core/cursor.ts'
import {
  readPlace,
  writePlace,
  writePlaceAfter
} from '../../../../../api/streams/tail/tail-place.ts'

const position = {
  sort_key: '2026-01-31T12:00:00.120000Z',
  id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
}
const look = { from: Date.UTC(2026, 0, 31, 11, 59), before: '4710', at: '4711' }

test('a place is read as it was written', () => {
  expect(readPlace(writePlace(position, look))).toEqual({ position, look })
})

test('behind a look nothing of it is news', () => {
  const place = readPlace(writePlaceAfter(look))
  expect(place?.look).toEqual({ ...look, before: look.at })
})

test('an id without a look is a position', () => {
  expect(readPlace(writeCursor(position, {}))).toEqual({ position, look: null })
})

test.each([
  '',
  'garbled',
  writeCursor(position, { agent_id: 'a' }),
  `${writeCursor(position, {})}.1.2`,
  `${writeCursor(position, {})}.1.2.x`,
  `${writeCursor(position, {})}.1.2.9999999999999999999`,
  // Later than its decision.
  `${writeCursor(position, {})}.999999999999999.2.3`
])('%p is no place', (text) => {
  expect(readPlace(text)).toBeNull()
})
