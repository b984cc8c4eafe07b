/** Tests that the options of `sluice erase` select exactly one action, which never erases more than
 * requested.
 */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { eraseActionOf } from '../../../../cli/erasure/erasure-request.ts'
import type { EraseOptions } from '../../../../cli/erasure/erasure-request.ts'

const organization = 'Acme'
const record = { reason: 'request 17', by: 'Ana' }
const id = randomUUID()

test.each<[EraseOptions, string, string | null]>([
  [{ decision: id.toUpperCase() }, 'decision', id],
  [{ session: 's' }, 'session', 's'],
  [{ agent: 'a' }, 'agent', 'a'],
  [{ everything: true }, 'organization', null]
])('%j', (options, scope, subject) => {
  const target = { organization, scope, subject }
  expect(eraseActionOf({ organization, ...options })).toEqual({ kind: 'count', target })
  expect(eraseActionOf({ organization, ...options, ...record, execute: true })).toEqual({
    kind: 'erase',
    target,
    ...record
  })
})

test.each(['list', 'resume'] as const)('--%s accepts one organization, or none for all', (kind) => {
  expect(eraseActionOf({ [kind]: true })).toEqual({ kind, organization: null })
  expect(eraseActionOf({ [kind]: true, organization })).toEqual({ kind, organization })
})

test('--repeat needs no other option', () => {
  expect(eraseActionOf({ repeat: 'erasures.json' })).toEqual({
    kind: 'repeat',
    path: 'erasures.json'
  })
})

describe('rejects with a message that says what to pass', () => {
  test.each<[EraseOptions, string]>([
    [{}, '--organization is missing'],
    [{ session: 's' }, '--organization is missing'],
    [{ organization }, 'exactly one of'],
    [{ organization, session: 's', agent: 'a' }, 'exactly one of'],
    [{ organization, session: 's', everything: true }, 'exactly one of'],
    [{ organization, session: '' }, '--session is empty'],
    [{ organization, decision: 'x' }, 'not a UUID'],
    [{ organization, session: 's', execute: true }, 'requires --reason and --by'],
    [{ organization, session: 's', execute: true, reason: 'r' }, 'requires --reason and --by'],
    [{ list: true, resume: true }, 'pass only one of'],
    [{ list: true, execute: true }, 'pass only one of'],
    [{ list: true, repeat: 'f' }, 'pass only one of'],
    [{ repeat: 'f', organization }, 'reads all other options from its file'],
    [{ repeat: 'f', everything: true }, 'reads all other options from its file'],
    [{ resume: true, session: 's' }, 'accept only --organization']
  ])('%j', (options, message) => {
    expect(() => eraseActionOf(options)).toThrow(message)
  })
})
