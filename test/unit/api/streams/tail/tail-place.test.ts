/** Ids of tails: what they say comes back to their organization, and tells nothing of others. */
import { expect, test } from '@jest/globals'
import { writeCursor } from '../../../../../core/cursor.ts'
import { createTailPlaces } from '../../../../../api/streams/tail/tail-place.ts'
import { createSealer } from '../../../../../platform/security/sealed-secret.ts'

const secret = 'a secret of at least thirty-two characters'
const position = {
  sort_key: '2026-01-31T12:00:00.120000Z',
  id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
}
const look = { from: Date.UTC(2026, 0, 31, 11, 59), before: '4710', at: '4711' }
/** Each gateway makes its own, of the same secret. */
const placesOf = (organizationId: string) => createTailPlaces(createSealer(secret), organizationId)
const places = placesOf('ours')

test('any gateway reads a place as another one wrote it', () => {
  const id = places.within(look)(position)
  expect(placesOf('ours').read(id)).toEqual({ position, look })
})

test('behind a look nothing of it is news', () => {
  const place = places.read(places.after(look))
  expect(place?.look).toEqual({ ...look, before: look.at })
})

test('horizons count what all organizations write, and cannot be seen in an id', () => {
  const large = { ...look, before: '18446744073709551614', at: '18446744073709551615' }
  const [small = '', huge = ''] = [look, large].map((each) => places.within(each)(position))
  expect(places.read(huge)).toEqual({ position, look: large })
  const visible = small.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
  expect([small, ...visible].join(' ')).not.toMatch(/471[01]/)
  // Neither does the length tell how large they are, nor two ids that nothing has happened between.
  expect(huge).toHaveLength(small.length)
  expect(places.within(look)(position)).not.toBe(small)
})

test('an id of another organization, or of another installation, is no place', () => {
  const id = places.within(look)(position)
  expect(placesOf('theirs').read(id)).toBeNull()
  const elsewhere = createSealer('another secret of thirty-two characters')
  expect(createTailPlaces(elsewhere, 'ours').read(id)).toBeNull()
})

test('an id without a look is a position', () => {
  expect(places.read(writeCursor(position, {}))).toEqual({ position, look: null })
})

test.each([
  '',
  'garbled',
  writeCursor(position, { agent_id: 'a' }),
  `${writeCursor(position, {})}.1.2`,
  `${writeCursor(position, {})}.1769860740000.4710.4711`,
  `${writeCursor(position, {})}.AAAA`,
  `${places.within(look)(position)}AAAA`,
  // Later than its decision.
  places.within({ ...look, from: Date.UTC(2026, 1, 1) })(position)
])('%p is no place', (text) => {
  expect(places.read(text)).toBeNull()
})
