/** What `sluice erase` is asked for: exactly one thing, and never more than was meant. */
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

test.each(['list', 'resume'] as const)('--%s is about one organization or all', (kind) => {
  expect(eraseActionOf({ [kind]: true })).toEqual({ kind, organization: null })
  expect(eraseActionOf({ [kind]: true, organization })).toEqual({ kind, organization })
})

test('--repeat takes everything from its file', () => {
  expect(eraseActionOf({ repeat: 'erasures.json' })).toEqual({
    kind: 'repeat',
    path: 'erasures.json'
  })
})

describe('refused with what to give instead', () => {
  test.each<[EraseOptions, string]>([
    [{}, 'give --organization'],
    [{ session: 's' }, 'give --organization'],
    [{ organization }, 'exactly one of'],
    [{ organization, session: 's', agent: 'a' }, 'exactly one of'],
    [{ organization, session: 's', everything: true }, 'exactly one of'],
    [{ organization, session: '' }, '--session is empty'],
    [{ organization, decision: 'x' }, 'no UUID'],
    [{ organization, session: 's', execute: true }, 'needs --reason and --by'],
    [{ organization, session: 's', execute: true, reason: 'r' }, 'needs --reason and --by'],
    [{ list: true, resume: true }, 'give one of'],
    [{ list: true, execute: true }, 'give one of'],
    [{ list: true, repeat: 'f' }, 'give one of'],
    [{ repeat: 'f', organization }, 'takes the rest from its file'],
    [{ repeat: 'f', everything: true }, 'takes the rest from its file'],
    [{ resume: true, session: 's' }, 'no more than --organization']
  ])('%j', (options, message) => {
    expect(() => eraseActionOf(options)).toThrow(message)
  })
})
