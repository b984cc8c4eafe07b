/** Tests that a context applies to everything awaited within a function, and to nothing else. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from '@jest/globals'
import { createContext } from '../../../../../sdk/typescript/src/context.ts'
import type { ContextStorage } from '../../../../../sdk/typescript/src/context.ts'
import { createEdgeContextStorage } from '../../../../../sdk/typescript/src/edge-context-storage.ts'
import { createNodeContextStorage } from '../../../../../sdk/typescript/src/node-context-storage.ts'

const storages: Record<string, () => ContextStorage> = {
  node: createNodeContextStorage,
  'edge with a global': () => createEdgeContextStorage({ AsyncLocalStorage }),
  'edge with Node modules': () => {
    const getBuiltinModule = (): object => ({ AsyncLocalStorage })
    return createEdgeContextStorage({ process: { getBuiltinModule } })
  }
}

describe.each(Object.entries(storages))('%s', (_, createStorage) => {
  test('separates two concurrent conversations', async () => {
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

test('prefers the inner field unless it is null, and merges metadata member by member', () => {
  const context = createContext(createNodeContextStorage())
  const outer = { agentId: 'outer', domain: 'sales', metadata: { a: 1, b: 1 } }
  const inner = { agentId: 'inner', domain: null, metadata: { b: 2 } }
  const seen = context.within(outer, () => context.within(inner, context.current))
  expect(seen).toEqual({ agentId: 'inner', domain: 'sales', metadata: { a: 1, b: 2 } })
})

test('replaces the current context with an earlier one', () => {
  const context = createContext(createNodeContextStorage())
  const there = context.within({ agentId: 'there' }, context.current)
  const seen = context.within({ domain: 'here' }, () => context.only(there, context.current))
  expect(seen).toEqual({ agentId: 'there', metadata: {} })
})

test('without AsyncLocalStorage, a context ends when the function returns or throws', () => {
  const getBuiltinModule = (): never => {
    throw new Error('no context')
  }
  const context = createContext(createEdgeContextStorage({ process: { getBuiltinModule } }))
  expect(context.within({ agentId: 'a' }, () => context.current().agentId)).toBe('a')
  const fail = (): never => {
    throw new Error('no')
  }
  expect(() => context.within({ agentId: 'a' }, fail)).toThrow('no')
  expect(context.current()).toEqual({})
})
