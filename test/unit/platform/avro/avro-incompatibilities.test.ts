/** Which versions read each other; a registry is asked the same in test/integration/schemas. */
import { expect, test } from '@jest/globals'
import { incompatibilitiesOf } from '../../../../platform/avro/avro-incompatibilities.ts'
import { changing, schemaChanges } from '../../../support/schema-changes.ts'

test.each(schemaChanges)('$verdict: $title', ({ verdict, change }) => {
  const objections = incompatibilitiesOf(changing, change(changing))
  if (verdict === 'taken') expect(objections).toEqual([])
  if (verdict === 'refused') expect(objections).not.toEqual([])
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
