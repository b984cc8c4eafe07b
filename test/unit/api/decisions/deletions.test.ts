/** Tests the parsing of deletion requests: a dry run, or a confirmation with a reason. */
import { expect, test } from '@jest/globals'
import { readDeletionRequest } from '../../../../api/decisions/deletions.ts'
import type { DeletionRequest } from '../../../../api/decisions/deletions.ts'
import { problemOf } from '../fakes.ts'

const subject = '01938C4E-5B7A-7C3E-9F00-2F6D1C1B8A55'

test('lowercases the id of a decision and keeps other ids unchanged', () => {
  expect(readDeletionRequest({ scope: 'decision', subject, dry_run: true })).toEqual({
    target: { scope: 'decision', subject: subject.toLowerCase() },
    reason: null,
    confirm: null
  })
  const body = { scope: 'agent', subject, confirm: 0, reason: 'r' } as const
  expect(readDeletionRequest(body)).toEqual({
    target: { scope: 'agent', subject },
    reason: 'r',
    confirm: 0
  })
})

test.each<[string, DeletionRequest]>([
  ['/subject', { scope: 'decision', subject: 'x', dry_run: true }],
  ['/confirm', { scope: 'agent', subject }],
  ['/confirm', { scope: 'agent', subject, dry_run: true, confirm: 1 }],
  ['/reason', { scope: 'agent', subject, confirm: 1 }]
])('names %s', async (pointer, body) => {
  const { code, options } = await problemOf(() => readDeletionRequest(body))
  expect([code, options.errors?.[0]?.pointer]).toEqual(['invalid_body', pointer])
})
