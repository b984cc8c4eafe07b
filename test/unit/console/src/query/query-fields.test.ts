/** Tests that the query bar has a field for each filter of the API. */
import { expect, test } from '@jest/globals'
import { filterSchemas } from '../../../../../api/decisions/filters.ts'
import { queryFields } from '../../../../../console/src/query/query-fields.ts'

test('has each filter, except those that terms of their own express', () => {
  const fields = Object.values(queryFields).map(({ filter }) => filter)
  const filters = Object.keys(filterSchemas).map((name) => name.replace(/^(min|max)_/, ''))
  expect(new Set([...fields, 'q', 'score', 'metadata'])).toEqual(new Set(filters))
})
