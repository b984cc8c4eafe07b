/** Tests that a value captured early is sent as if it had been encoded with its decision. */
import { expect, test } from '@jest/globals'
import { composeDecision } from '../../../../../sdk/typescript/src/compose-decision.ts'
import { encodeDecision, invalid } from '../../../../../sdk/typescript/src/encode-decision.ts'
import type { RawDecision } from '../../../../../sdk/typescript/src/encode-decision.ts'
import { tooLarge } from '../../../../../sdk/typescript/src/encoding.ts'
import { redactDecision } from '../../../../../sdk/typescript/src/redact.ts'
import { createSnapshot } from '../../../../../sdk/typescript/src/snapshot.ts'

const limits = { maxLength: 10_000 }
const snapshot = createSnapshot(limits.maxLength)
const cycle: Record<string, unknown> = { huge: 2n ** 80n, bad: NaN, day: new Date(0) }
cycle['self'] = cycle

function decision(input: unknown, output: unknown = 'o'): RawDecision {
  const composed = composeDecision({ input, output }, undefined, { agentId: null, domain: null })
  return { ...composed, decisionId: '01a2b3c4-0000-7000-8000-000000000000' }
}

test.each([[cycle], [[cycle, [], {}]], ['text'], [null], [7n], [new Map([['a', cycle]])]])(
  'is encoded like the value itself, as input and output: %#',
  (value: unknown) => {
    const late = encodeDecision(decision(value, value ?? 'o'), limits)
    const early = decision(snapshot(value, 'input'), snapshot(value ?? 'o', 'output'))
    expect(encodeDecision(early, limits)).toEqual(late)
  }
)

test('is not affected by later changes', () => {
  const value = { list: [1] }
  const early = snapshot(value, 'input')
  value.list.push(2)
  expect(encodeDecision(decision(early), limits).text).toContain('"input":{"list":[1]}')
})

test('is passed to redact like the value itself', () => {
  const seen: unknown[] = []
  const redact = (copy: unknown): unknown => {
    seen.push(copy)
    return copy
  }
  const early = redactDecision(decision(snapshot(cycle, 'input')), redact, limits)
  expect(early).toEqual(redactDecision(decision(cycle), redact, limits))
  expect(seen[0]).toEqual(seen[1])
  expect(early.text).toContain('1208925819614629174706176')
})

test('is too large only when it is sent', () => {
  const early = snapshot({ text: 'x'.repeat(limits.maxLength) }, 'input')
  expect(() => encodeDecision(decision(early), limits)).toThrow(tooLarge)
  expect(() => encodeDecision(decision(early, null), limits)).toThrow(invalid)
})
