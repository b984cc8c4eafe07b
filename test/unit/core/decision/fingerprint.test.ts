/** Tests which fields distinguish two decisions that have the same id. */
import { expect, test } from '@jest/globals'
import type { Decision } from '../../../../core/decision/decision.ts'
import { fingerprintOf } from '../../../../core/decision/fingerprint.ts'
import { aDecision } from '../../../support/builders.ts'

const decision = aDecision({ input: '{"a":1}' })
const digest = fingerprintOf(decision).toString('hex')

const alike: Partial<Decision>[] = [
  { sdk_version: 'ts/2' },
  { received_at: 1 },
  { decision_id: 'another', organization_id: 'another' }
]
const different: Partial<Decision>[] = [
  { input: '{"a": 1}' },
  { output: '' },
  { agent_id: null },
  { agent_id: decision.session_id, session_id: decision.agent_id },
  { domain: null },
  { metadata: null },
  { input_tokens: null },
  { output_tokens: 0 }
]

test.each(alike)('a change of %j keeps the fingerprint', (change) => {
  expect(fingerprintOf({ ...decision, ...change }).toString('hex')).toBe(digest)
})

test.each(different)('a change of %j changes the fingerprint', (change) => {
  expect(fingerprintOf({ ...decision, ...change }).toString('hex')).not.toBe(digest)
})

test('never changes between releases: stored rows hold it', () => {
  const known = aDecision({ decision_id: 'd', organization_id: 'o', received_at: 0 })
  expect(fingerprintOf(known).toString('hex')).toBe(
    '158297128e7323c6328daa67b341f11e8922d41980111f0c2b5fa58c52a58bc0'
  )
})
