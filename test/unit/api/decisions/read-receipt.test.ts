/** Whether a decision is stored: for the organization of the key, and for no other. */
import { expect, test } from '@jest/globals'
import { createReadReceipt } from '../../../../api/decisions/read-receipt.ts'
import type { KeyPrincipal } from '../../../../core/principal.ts'
import { checkedCallOf, clock, decisionId, FakeStore, organizationId, problemOf } from '../fakes.ts'

const principal: KeyPrincipal = {
  kind: 'api_key',
  organization_id: organizationId,
  key_id: 'abcdefghijkl',
  scopes: ['ingest'],
  rate_limit_points: null,
  key_rate_limit_points: null
}
const storedAt = new Date('2026-01-31T12:00:00.190Z')

const row = { organization_id: organizationId, decision_id: decisionId, stored_at: storedAt }

function scene(rows: readonly (typeof row)[]) {
  const store = new FakeStore()
  store.rows['decisions'] = [...rows]
  const poll = <T>(read: () => Promise<T>): Promise<T> => read()
  return createReadReceipt({ store, poll, decisionsTopic: 'decisions', clock })
}

function ask(id: string, who = principal, rows = [row]) {
  return scene(rows)(checkedCallOf(who, { params: { decision_id: id }, query: { wait: 0 } }))
}

test('a stored decision is told with the time, whatever the case of its id', async () => {
  const reply = await ask(decisionId.toUpperCase())
  expect(reply.status).toBe(200)
  expect(JSON.parse(reply.body)).toEqual({
    decision_id: decisionId,
    state: 'stored',
    stored_at: storedAt.toISOString()
  })
})

test('the id of another organization is answered like one that does not exist', async () => {
  const stranger = { ...principal, organization_id: '01938c4e-3333-7000-8000-5b7a9f002f6d' }
  const foreign = await problemOf(ask(decisionId, stranger))
  const unknown = await problemOf(ask(decisionId, principal, []))
  expect(foreign.code).toBe('decision_not_found')
  expect(foreign.options).toEqual(unknown.options)
})
