/** Tests that a run id depends on all fields that identify the run, and that the decision id can be
 * derived from the run id.
 */
import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { runIdOf, runMaskOf, scoreIdOf } from '../../../../core/ids/run-id.ts'
import { xorIds } from '../../../../core/ids/xor-ids.ts'

const origin = {
  organization_id: '01938c4e-0000-7000-8000-000000000001',
  decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
  rule_id: 'default',
  evaluator_id: 'output_not_empty',
  version: 1,
  generation: 0
}

test('every part of the origin changes the id', () => {
  const others = [
    { ...origin, organization_id: '01938c4e-0000-7000-8000-000000000002' },
    { ...origin, decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a56' },
    { ...origin, rule_id: 'rul_1' },
    { ...origin, evaluator_id: 'output_complete' },
    { ...origin, version: 2 },
    { ...origin, generation: 1 }
  ]
  const ids = [origin, ...others].map(runIdOf)
  expect(new Set(ids).size).toBe(ids.length)
  expect(runIdOf({ ...origin })).toBe(ids[0])
})

test('derives the decision and the score of a run with the mask', () => {
  const { decision_id, ...rest } = origin
  const mask = runMaskOf(rest)
  expect(xorIds(runIdOf(origin), mask)).toBe(decision_id)
  expect(xorIds(decision_id, scoreIdOf(mask, 'tone'))).toBe(scoreIdOf(runIdOf(origin), 'tone'))
  expect(scoreIdOf(mask, 'tone')).not.toBe(scoreIdOf(mask, 'polite'))
})

/** Returns the id XOR a hash whose version and variant bits are 0. */
function masked(id: string, name: string): string {
  const hex = (text: string): bigint => BigInt(`0x${text.replaceAll('-', '')}`)
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32)
  const bits = hex(digest) & hex('ffffffff-ffff-0fff-3fff-ffffffffffff')
  const text = (hex(id) ^ bits).toString(16).padStart(32, '0')
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

test('derived ids never change between releases', () => {
  const runId = runIdOf(origin)
  const name = '01938c4e-0000-7000-8000-000000000001/default/output_not_empty/1/0'
  expect(runId).toBe(masked(origin.decision_id, name))
  expect(scoreIdOf(runId, 'output_not_empty')).toBe(masked(runId, 'score/output_not_empty'))
})
