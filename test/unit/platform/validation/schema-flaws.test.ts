/** Tests that flaws are found wherever a keyword takes a schema, and nowhere else. */
import { expect, test } from '@jest/globals'
import { findSchemaFlaws } from '../../../../platform/validation/schema-flaws.ts'

const vocabulary = {
  isKeyword: (name: string) => name !== 'bad',
  isFormat: (name: string) => name === 'email'
}

test.each<[string, object, string[]]>([
  ['as a value', { not: { items: { bad: 1 } } }, ['/not/items/bad']],
  ['in lists', { allOf: [{}, { prefixItems: [{ bad: 1 }] }] }, ['/allOf/1/prefixItems/0/bad']],
  [
    'by names',
    { $defs: { bad: { dependentSchemas: { a: { bad: 1 } } } } },
    ['/$defs/bad/dependentSchemas/a/bad']
  ],
  ['not in data', { const: { bad: 1 }, enum: [{ bad: 1 }], default: { bad: 1 } }, []],
  ['not among the names of properties', { properties: { bad: true, $ref: false } }, []],
  ['a reference with escapes', { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': {} } }, []],
  ['a reference to nothing', { $ref: '#/$defs/a', $defs: {} }, ['/$ref']],
  ['a reference to an inherited property', { $ref: '#/constructor' }, ['/$ref']],
  ['values of a wrong type are checked elsewhere', { $ref: 1, pattern: 2, allOf: 3 }, []]
])('%s', (_, schema, pointers) => {
  const flaws = findSchemaFlaws(schema as Record<string, unknown>, vocabulary)
  expect(flaws.map(({ pointer }) => pointer)).toEqual(pointers)
})

test('stops after a readable number of flaws', () => {
  const schema = { anyOf: Array.from({ length: 100 }, () => ({ bad: 1 })) }
  expect(findSchemaFlaws(schema, vocabulary)).toHaveLength(20)
})
