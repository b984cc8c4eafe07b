/** Tests usage counts, which contain the key and the reason for a rejection, but no payload. */
import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import { KeyProblem } from '../../../../auth/key-problem.ts'
import type { Attempt } from '../../../../gateway/ingest/attempt.ts'
import { noon } from '../../../support/builders.ts'
import { callOf } from '../../api/fakes.ts'
import { batchOf, createNotes, organizationId, principal, submissionOf } from './fakes.ts'

function attemptOf(members: Partial<Attempt> = {}): Attempt {
  return { call: callOf(), principal, quota: null, batch: null, ...members }
}

function drained({ noted }: ReturnType<typeof createNotes>) {
  const { keys, organizations } = noted.drain()
  const organization = organizations.get(organizationId)
  return {
    key: keys.get(principal.key_id),
    attempts: organization?.attempts ?? [],
    agents: Object.fromEntries(
      [...(organization?.agents ?? [])].map(([agentId, { rejected }]) => [
        agentId,
        Object.fromEntries(rejected)
      ])
    )
  }
}

const invalid = new Problem('invalid_decision', {
  detail: '/output must be a string.',
  errors: [{ pointer: '/output', detail: 'must be a string' }]
})

describe('accepted', () => {
  test('counts accepted decisions and records the first use of the key', () => {
    const scene = createNotes()
    const submission = submissionOf({ input: 1, output: '', sdk_version: 'py/1.2' })
    scene.notes.accepted(attemptOf({ batch: batchOf([{ submission }]) }), 1)
    scene.notes.accepted(attemptOf({ call: callOf({ remote_address: '192.0.2.9' }) }), 4)
    const { key, attempts, agents } = drained(scene)
    expect(key?.accepted).toBe(5)
    expect(key?.use).toEqual({ at: noon, address: '192.0.2.1', sdk_version: 'py/1.2' })
    expect([attempts, agents]).toEqual([[], {}])
  })
})

describe('rejected', () => {
  test('records the reason, the agent and the request of a rejection', () => {
    const scene = createNotes()
    const submission = submissionOf({ output: 7, agent_id: 'a', sdk_version: 'ts/1' })
    const batch = batchOf([{ submission, problem: invalid }])
    scene.notes.rejected(attemptOf({ batch }), invalid)
    const { key, attempts, agents } = drained(scene)
    expect(attempts).toEqual([
      {
        at: noon,
        key_id: principal.key_id,
        status: 422,
        code: 'invalid_decision',
        detail: '/output must be a string.',
        pointer: '/output',
        agent_id: 'a',
        sdk_version: 'ts/1',
        request_id: 'request-1'
      }
    ])
    expect(agents).toEqual({ a: { invalid_decision: 1 } })
    expect(key).toMatchObject({ accepted: 0, rejected: new Map([['invalid_decision', 1]]) })
  })

  test('records the rejection of a known key for its organization', () => {
    const scene = createNotes()
    const refusal = new KeyProblem(principal, 'api_key_invalid', {
      detail: 'The API key was revoked.'
    })
    scene.notes.rejected(attemptOf({ principal: null }), refusal)
    const { attempts, agents } = drained(scene)
    expect(attempts).toMatchObject([
      { status: 401, detail: 'The API key was revoked.', pointer: null }
    ])
    expect(agents).toEqual({})
  })

  test('records nothing without a known key', () => {
    const scene = createNotes()
    const unknown = new Problem('api_key_invalid', { detail: 'No such API key exists.' })
    scene.notes.rejected(attemptOf({ principal: null }), unknown)
    expect(drained(scene)).toEqual({ key: undefined, attempts: [], agents: {} })
  })

  test.each([
    ['a'.repeat(1000), `${'a'.repeat(199)}…`],
    ['\u{1f600}'.repeat(300), `${'\u{1f600}'.repeat(199)}…`]
  ])('cuts a detail at 200 characters', (detail, expected) => {
    const scene = createNotes()
    scene.notes.rejected(attemptOf(), new Problem('malformed_json', { detail }))
    expect(drained(scene).attempts[0]?.detail).toBe(expected)
  })

  test.each([
    ['no agent', { agent_id: null }, { '': { invalid_decision: 1 } }],
    ['an agent_id of a wrong type', { agent_id: 'a\u0000' }, {}],
    ['an agent_id that is too long', { agent_id: 'a'.repeat(256) }, {}],
    ['an agent_id with an unpaired surrogate', '{"agent_id":"\\ud800"}', {}],
    ['a body that is not an object', '[1]', {}]
  ])('does not count %s for an agent', (_what, body, expected) => {
    const scene = createNotes()
    const batch = batchOf([{ submission: submissionOf(body), problem: invalid }])
    scene.notes.rejected(attemptOf({ batch }), invalid)
    expect(drained(scene).agents).toEqual(expected)
  })
})

test('counts each item of a batch, and records one attempt per reason', () => {
  const scene = createNotes()
  const of = (agent_id: string) => submissionOf({ input: 1, output: '', agent_id })
  const malformed = new Problem('malformed_json', { detail: 'No.' })
  const rejected = ['a', 'a', 'b'].map((id) => ({ submission: of(id), problem: invalid }))
  const batch = batchOf([...rejected, { problem: malformed }, { submission: of('c') }])
  scene.notes.rejectedEach(attemptOf({ batch }))
  const { key, attempts, agents } = drained(scene)
  expect(agents).toEqual({ a: { invalid_decision: 2 }, b: { invalid_decision: 1 } })
  expect(attempts.map(({ code, agent_id }) => [code, agent_id])).toEqual([
    ['invalid_decision', 'a'],
    ['malformed_json', null]
  ])
  expect(key?.rejected.get('invalid_decision')).toBe(3)
})
