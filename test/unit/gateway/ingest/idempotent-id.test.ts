/** Tests Idempotency-Key: equal keys yield equal IDs, and malformed keys are rejected. */
import { expect, test } from '@jest/globals'
import { isUuid } from '../../../../core/ids/ids.ts'
import { idempotentIdOf } from '../../../../gateway/ingest/idempotent-id.ts'
import { problemOf } from '../../api/fakes.ts'
import { organizationId } from './fakes.ts'

const another = '01938c4e-3333-7000-8000-5b7a9f002f6d'

function idOf(header: string, organization = organizationId, index?: number) {
  return idempotentIdOf(header)?.(organization, index)
}

test('returns null without the header', () => {
  expect(idempotentIdOf(undefined)).toBeNull()
})

test('gives the same UUID for the same key and organization', () => {
  expect(idOf('"ticket-8812"')).toBe(idOf('"ticket-8812"'))
  expect(isUuid(idOf('"ticket-8812"') ?? '')).toBe(true)
})

test('gives another id for another key, organization or item', () => {
  const ids = [
    idOf('"a"'),
    idOf('"b"'),
    idOf('"a"', another),
    idOf('"a"', organizationId, 0),
    idOf('"a"', organizationId, 1),
    idOf('"0:a"'),
    idOf('"1:a"')
  ]
  expect(new Set(ids).size).toBe(ids.length)
})

test('accepts a key without quotes and decodes escapes within them', () => {
  expect(idOf('ticket-8812')).toBe(idOf('"ticket-8812"'))
  expect(idOf('"a\\"b"')).not.toBe(idOf('"ab"'))
})

test.each([
  ['nothing', ''],
  ['an empty string', '""'],
  ['an open quote', '"a'],
  ['a quote inside', '"a"b"'],
  ['two keys', '"a", "b"'],
  ['a control character', '"a\tb"'],
  ['a character that is not ASCII', '"ü"'],
  ['more than 255 characters', `"${'a'.repeat(256)}"`]
])('rejects %s', async (_what, header) => {
  const problem = await problemOf(() => idempotentIdOf(header))
  expect(problem.code).toBe('malformed_request')
})
