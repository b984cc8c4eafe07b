/** Context: fields that apply to every decision logged while a function runs. */
import type { DecisionContext } from './decision.ts'
import { suppressErrors } from './suppress-errors.ts'

/** The subset of Node's AsyncLocalStorage that the context uses. */
export interface ContextStorage {
  getStore(): DecisionContext | undefined
  run<T>(fields: DecisionContext, work: () => T): T
}

export interface Context {
  /** Returns the fields of the current context. */
  current(): DecisionContext
  /** Runs `work` with `fields` added to the current context, and returns its result. */
  within<T>(fields: DecisionContext, work: () => T): T
  /**
   * Runs `work` with `fields` instead of the current context, for example to restore an earlier
   * one.
   */
  only<T>(fields: DecisionContext, work: () => T): T
}

export function createContext(storage: ContextStorage): Context {
  const current = (): DecisionContext => storage.getStore() ?? {}
  return {
    current,
    within: (fields, work) => storage.run(tryMergeFields(current(), fields), work),
    only: (fields, work) => storage.run(fields, work)
  }
}

/** Like `mergeFields`, but returns `outer` if reading `inner` throws. */
export function tryMergeFields(outer: DecisionContext, inner: DecisionContext): DecisionContext {
  return suppressErrors(() => mergeFields(outer, inner)) ?? outer
}

/**
 * Merges two contexts. An inner field wins unless it is null or undefined; `metadata` is merged
 * member by member.
 */
export function mergeFields(outer: DecisionContext, inner: DecisionContext): DecisionContext {
  const { agentId, sessionId, domain } = inner
  return {
    agentId: agentId ?? outer.agentId,
    sessionId: sessionId ?? outer.sessionId,
    domain: domain ?? outer.domain,
    metadata: { ...outer.metadata, ...inner.metadata }
  }
}
