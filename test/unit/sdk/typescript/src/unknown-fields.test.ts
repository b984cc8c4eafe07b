/** Fields that no decision has. */
import { describe, expect, test } from '@jest/globals'
import { createUnknownFields } from '../../../../../sdk/typescript/src/unknown-fields.ts'

function look(...given: unknown[]): string[] {
  const told: string[] = []
  const lookFor = createUnknownFields((problem) => void told.push(problem))
  for (const each of given) lookFor(each)
  return told
}

describe('a field that no decision has', () => {
  test('is told of once, with the one that was meant', () => {
    expect(look({ input: 1, agent_id: 'a' }, { output: '', agent_id: 'b' })).toEqual([
      'field agent_id is not known: did you mean agentId?'
    ])
    expect(look({ 'two\nlines': 1 })).toEqual(['field two lines is not known'])
  })

  test('those that there are, and what is no object, are no news', () => {
    const all = { input: 1, output: '', agentId: 'a', sessionId: 's', domain: 'd', metadata: {} }
    const others = { inputTokens: 1, outputTokens: 1, decisionId: 'i' }
    expect(look(all, others, null, undefined, 'input', 7)).toEqual([])
  })

  test('what cannot be read is no trouble, and of ever other members a few are told', () => {
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
