/** Tests which schema versions can read each other. test/integration/schemas checks that a registry
 * agrees.
 */
import { expect, test } from '@jest/globals'
import { incompatibilitiesOf } from '../../../../platform/avro/avro-incompatibilities.ts'
import { changing, schemaChanges } from '../../../support/schema-changes.ts'

test.each(schemaChanges)('$compatibility: $title', ({ compatibility, change }) => {
  const objections = incompatibilitiesOf(changing, change(changing))
  if (compatibility === 'accepted') expect(objections).toEqual([])
  if (compatibility === 'rejected') expect(objections).not.toEqual([])
})

test('says which direction is broken, and by which field', () => {
  const fields = [...changing.fields, { name: 'new', type: 'string' }]
  const later = { ...changing, fields }
  expect(incompatibilitiesOf(changing, later)).toEqual([
    'the later version cannot read the earlier: no matching field for default-less sluice.Thing.new'
  ])
  expect(incompatibilitiesOf(later, changing)).toEqual([
    'the earlier version cannot read the later: no matching field for default-less sluice.Thing.new'
  ])
})
