/** Tests the ids of tail events: only their organization can read them, and they reveal nothing
 * about other organizations.
 */
import { expect, test } from '@jest/globals'
import { formatCursor } from '../../../../../core/cursor.ts'
import { createTailIds } from '../../../../../api/streams/tail/tail-id.ts'
import { createSealer } from '../../../../../platform/security/sealed-secret.ts'

const secret = 'a secret of at least thirty-two characters'
const position = {
  sort_key: '2026-01-31T12:00:00.120000Z',
  id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
}
const bounds = { from: Date.UTC(2026, 0, 31, 11, 59), before: '4710', at: '4711' }
/** Each gateway creates its own sealer from the same secret. */
const tailIdsOf = (organizationId: string) => createTailIds(createSealer(secret), organizationId)
const ids = tailIdsOf('ours')

test('reads an id that another gateway wrote', () => {
  const id = ids.within(bounds)(position)
  expect(tailIdsOf('ours').read(id)).toEqual({ position, bounds })
})

test('creates an id after which the poll has no new events', () => {
  const place = ids.read(ids.after(bounds))
  expect(place?.bounds).toEqual({ ...bounds, before: bounds.at })
})

test('hides horizons, which count the transactions of all organizations', () => {
  const large = { ...bounds, before: '18446744073709551614', at: '18446744073709551615' }
  const [small = '', huge = ''] = [bounds, large].map((each) => ids.within(each)(position))
  expect(ids.read(huge)).toEqual({ position, bounds: large })
  const visible = small.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
  expect([small, ...visible].join(' ')).not.toMatch(/471[01]/)
  // Neither the length of an id nor the comparison of two ids for the same state reveals how large
  // the horizons are.
  expect(huge).toHaveLength(small.length)
  expect(ids.within(bounds)(position)).not.toBe(small)
})

test('rejects an id of another organization or another installation', () => {
  const id = ids.within(bounds)(position)
  expect(tailIdsOf('theirs').read(id)).toBeNull()
  const elsewhere = createSealer('another secret of thirty-two characters')
  expect(createTailIds(elsewhere, 'ours').read(id)).toBeNull()
})

test('reads an id without horizons as a position', () => {
  expect(ids.read(formatCursor(position, {}))).toEqual({ position, bounds: null })
})

test.each([
  '',
  'malformed',
  formatCursor(position, { agent_id: 'a' }),
  `${formatCursor(position, {})}.1.2`,
  `${formatCursor(position, {})}.1769860740000.4710.4711`,
  `${formatCursor(position, {})}.AAAA`,
  `${ids.within(bounds)(position)}AAAA`,
  // The bounds of this id start after its position.
  ids.within({ ...bounds, from: Date.UTC(2026, 1, 1) })(position)
])('rejects %p', (text) => {
  expect(ids.read(text)).toBeNull()
})
