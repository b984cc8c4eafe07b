/** Tests the reports about unknown decision fields. */
import { describe, expect, test } from '@jest/globals'
import { createUnknownFields } from '../../../../../sdk/typescript/src/unknown-fields.ts'

function look(...given: unknown[]): string[] {
  const reports: string[] = []
  const lookFor = createUnknownFields((problem) => void reports.push(problem))
  for (const each of given) lookFor(each)
  return reports
}

describe('an unknown field', () => {
  test('is reported once, with a similar known field', () => {
    expect(look({ input: 1, agent_id: 'a' }, { output: '', agent_id: 'b' })).toEqual([
      'unknown field agent_id (did you mean agentId?)'
    ])
    expect(look({ 'two\nlines': 1 })).toEqual(['unknown field two lines'])
  })

  test('known fields and values that are not objects are not reported', () => {
    const all = { input: 1, output: '', agentId: 'a', sessionId: 's', domain: 'd', metadata: {} }
    const others = { inputTokens: 1, outputTokens: 1, decisionId: 'i' }
    expect(look(all, others, null, undefined, 'input', 7)).toEqual([])
  })

  test('is ignored if it cannot be read or too many were reported', () => {
    const refusing = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('no')
        }
      }
    )
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, nth) => [`member ${nth}`, 1]))
    expect(look(refusing)).toEqual([])
    expect(look(many, many)).toHaveLength(20)
  })
})
