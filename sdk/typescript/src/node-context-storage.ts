/** Context storage for Node: the context follows promises, timers and callbacks. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ContextStorage } from './context.ts'
import type { DecisionContext } from './decision.ts'

export function createNodeContextStorage(): ContextStorage {
  return new AsyncLocalStorage<DecisionContext>()
}
