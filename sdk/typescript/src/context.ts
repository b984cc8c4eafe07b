/** Who a decision belongs to, told once for all that happens within a function. */
import type { DecisionContext } from './decision.ts'
import { quietly } from './quietly.ts'

/** As AsyncLocalStorage of Node is. */
export interface ContextStorage {
  getStore(): DecisionContext | undefined
  run<T>(fields: DecisionContext, work: () => T): T
}

export interface Context {
  /** What holds here. */
  current(): DecisionContext
  /** Runs `work` where `fields` hold as well, and answers as it does. */
  within<T>(fields: DecisionContext, work: () => T): T
  /** Runs `work` where `fields` hold, and nothing else: with what was `current` somewhere. */
  only<T>(fields: DecisionContext, work: () => T): T
}

export function createContext(storage: ContextStorage): Context {
  const current = (): DecisionContext => storage.getStore() ?? {}
  return {
    current,
    within: (fields, work) => storage.run(mergedQuietly(current(), fields), work),
    only: (fields, work) => storage.run(fields, work)
  }
}

/** What cannot be read holds nowhere; the work is done all the same. */
export function mergedQuietly(outer: DecisionContext, inner: DecisionContext): DecisionContext {
  return quietly(() => mergeFields(outer, inner)) ?? outer
}

/** The inner field wins; members of `metadata` one by one. Undefined is no answer. */
export function mergeFields(outer: DecisionContext, inner: DecisionContext): DecisionContext {
  const { agentId, sessionId, domain } = inner
  return {
    agentId: agentId ?? outer.agentId,
    sessionId: sessionId ?? outer.sessionId,
    domain: domain ?? outer.domain,
    metadata: { ...outer.metadata, ...inner.metadata }
  }
}
