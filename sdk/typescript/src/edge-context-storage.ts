/** Context storage for edge runtimes, which may lack `node:async_hooks`. */
import type { ContextStorage } from './context.ts'
import type { DecisionContext } from './decision.ts'

type StorageClass = new () => ContextStorage
interface Host {
  readonly AsyncLocalStorage?: StorageClass
  readonly process?: {
    getBuiltinModule?(name: string): { readonly AsyncLocalStorage?: StorageClass } | undefined
  }
}

/**
 * Uses the host's AsyncLocalStorage: a global on Vercel, an emulated Node module on Workers with
 * `nodejs_compat`. Without it, a context ends at the first await.
 */
export function createEdgeContextStorage(host: object = globalThis): ContextStorage {
  const Storage = findStorageClass(host)
  return Storage === undefined ? createSynchronousStorage() : new Storage()
}

function findStorageClass(host: Host): StorageClass | undefined {
  if (typeof host.AsyncLocalStorage === 'function') return host.AsyncLocalStorage
  try {
    return host.process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage
  } catch {
    return undefined
  }
}

function createSynchronousStorage(): ContextStorage {
  let current: DecisionContext | undefined
  return {
    getStore: () => current,
    run: (fields, work) => {
      const outer = current
      current = fields
      try {
        return work()
      } finally {
        current = outer
      }
    }
  }
}
