/** What holds within a function holds in all that it awaits, and nowhere else. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from '@jest/globals'
import { createContext } from '../../../../../sdk/typescript/src/context.ts'
import type { ContextStorage } from '../../../../../sdk/typescript/src/context.ts'
import { createEdgeContextStorage } from '../../../../../sdk/typescript/src/edge-context-storage.ts'
import { createNodeContextStorage } from '../../../../../sdk/typescript/src/node-context-storage.ts'

const storages: Record<string, () => ContextStorage> = {
  node: createNodeContextStorage,
  'edge with a global': () => createEdgeContextStorage({ AsyncLocalStorage }),
  'edge with modules of Node': () => {
    const getBuiltinModule = (): object => ({ AsyncLocalStorage })
    return createEdgeContextStorage({ process: { getBuiltinModule } })
  }
}

describe.each(Object.entries(storages))('%s', (_, createStorage) => {
  test('two conversations at once do not mix', async () => {
    const context = createContext(createStorage())
    const seen = async (sessionId: string): Promise<unknown> =>
      await context.within({ sessionId }, async () => {
        await new Promise((resolve) => void setImmediate(resolve))
        return context.current().sessionId
      })
    expect(await Promise.all(['a', 'b'].map(seen))).toEqual(['a', 'b'])
    expect(context.current()).toEqual({})
  })
})

test('the inner field wins, metadata member by member, and null is no answer', () => {
  const context = createContext(createNodeContextStorage())
  const outer = { agentId: 'outer', domain: 'sales', metadata: { a: 1, b: 1 } }
  const inner = { agentId: 'inner', domain: null, metadata: { b: 2 } }
  const seen = context.within(outer, () => context.within(inner, context.current))
  expect(seen).toEqual({ agentId: 'inner', domain: 'sales', metadata: { a: 1, b: 2 } })
})

test('what held elsewhere can hold here, alone', () => {
  const context = createContext(createNodeContextStorage())
  const there = context.within({ agentId: 'there' }, context.current)
  const seen = context.within({ domain: 'here' }, () => context.only(there, context.current))
  expect(seen).toEqual({ agentId: 'there', metadata: {} })
})

test('without AsyncLocalStorage it holds until the function returns, also by an error', () => {
  const getBuiltinModule = (): never => {
    throw new Error('none here')
  }
  const context = createContext(createEdgeContextStorage({ process: { getBuiltinModule } }))
  expect(context.within({ agentId: 'a' }, () => context.current().agentId)).toBe('a')
  const fail = (): never => {
    throw new Error('no')
  }
  expect(() => context.within({ agentId: 'a' }, fail)).toThrow('no')
  expect(context.current()).toEqual({})
})
