/** Tests that a trace is logged once, with everything that was set before it ended. */
import { expect, test } from '@jest/globals'
import { trace } from '../../../../../sdk/typescript/src/trace.ts'
import { recorded } from '../../../../support/sdk/recorded.ts'

test('logs what was set, and returns the result of its function', async () => {
  const { observer, decisions, pass } = recorded()
  const input = { question: 'why?' }
  const answer = await trace(
    observer,
    async (d) => {
      d.setInput(input)
      input.question = 'changed'
      d.setMetadata({ model: 'small', step: 1 })
      d.setMetadata({ step: 2 })
      d.setTokens({ input: 3, output: 4 })
      d.setTokens({ output: 5 })
      d.setOutput('because')
      pass(20)
      return 42
    },
    { agentId: 'a', name: 'explain', decisionId: 'd' }
  )
  expect(answer).toBe(42)
  expect(decisions).toEqual([
    {
      decisionId: 'd',
      agentId: 'a',
      input: { question: 'why?' },
      output: 'because',
      inputTokens: 3,
      outputTokens: 5,
      metadata: { name: 'explain', model: 'small', step: 2, latency_ms: 20 }
    }
  ])
})

test.each([
  [new TypeError('no'), { name: 'TypeError', message: 'no' }],
  ['text', { name: 'string', message: 'text' }],
  [null, { name: 'object', message: 'null' }],
  [Object.create(null), { name: 'Error', message: '' }],
  [
    Object.defineProperty({}, 'message', {
      get: () => {
        throw new Error('unreadable')
      }
    }),
    { name: 'Error', message: '' }
  ]
])('logs %p if it is thrown, and rethrows it', (thrown: unknown, error) => {
  const { observer, decisions } = recorded()
  let caught: unknown
  try {
    trace(observer, (d) => {
      d.setInput('x')
      throw thrown
    })
  } catch (found) {
    caught = found
  }
  expect(caught).toBe(thrown)
  expect(decisions).toEqual([{ input: 'x', output: '', metadata: { latency_ms: 0, error } }])
})

test('is logged once if it is ended manually', () => {
  const { startTrace, decisions } = recorded()
  const open = startTrace()
  open.setInput(1)
  open.setOutput('one')
  expect([open.end(), open.fail(new Error('late')), open.end()]).toEqual(['id-1', 'id-1', 'id-1'])
  expect(decisions).toHaveLength(1)
})

test('exposes its id before it ends', () => {
  const { observer, decisions } = recorded()
  const ids = [{}, { decisionId: 'own' }].map((fields) => {
    return trace(observer, ({ decisionId }) => decisionId, fields)
  })
  expect(ids).toEqual(['made', 'own'])
  expect(decisions.map(({ decisionId }) => decisionId)).toEqual(ids)
})

test('suppresses errors of unreadable values', () => {
  const { observer, decisions } = recorded()
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const answer = trace(
    observer,
    (d) => {
      d.setInput(proxy)
      d.setMetadata(proxy)
      d.setTokens(null as never)
      d.setOutput('yes')
      return 42
    },
    { metadata: proxy }
  )
  expect(answer).toBe(42)
  expect(decisions).toHaveLength(1)
})
