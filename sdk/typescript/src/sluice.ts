/** Creates the object that `init` returns: a client with functions to observe the host program. */
import { createClient } from './client.ts'
import type { Client, ClientDependencies } from './client.ts'
import { createContext } from './context.ts'
import type { ContextStorage } from './context.ts'
import type { DecisionContext } from './decision.ts'
import { observe } from './observe.ts'
import type { AnyFunction, ObserveOptions } from './observe.ts'
import { observed } from './observed.ts'
import type { MethodDecorator } from './observed.ts'
import { startObservation } from './observation.ts'
import type { Observer, Observation, ObservationFields, Trace } from './observation.ts'
import { createSnapshot } from './snapshot.ts'
import { trace } from './trace.ts'
import { createUuidV7 } from './uuid-v7.ts'

export interface Sluice extends Client {
  /**
   * Wraps `fn`, keeping its type. Logs each call: the arguments are the input, and the value that
   * the call returns, resolves with or yields is the output. An exception is logged in
   * `metadata.error`.
   */
  observe<F extends AnyFunction>(fn: F, options?: ObserveOptions<F>): F
  /** `observe` as a decorator for class methods: `@sluice.observed()`. */
  observed<O extends AnyFunction = AnyFunction>(options?: ObserveOptions<O>): MethodDecorator<O>
  /** Runs `work` and returns its result. `work` sets the fields of the decision. */
  trace<T>(work: (trace: Trace) => T, fields?: ObservationFields): T
  /** Starts a decision for your own wrapper. It is logged when you call `end` or `fail`. */
  startTrace(fields?: ObservationFields): Observation
  /** Runs `work` and returns its result. `fields` apply to all decisions logged in `work`. */
  withContext<T>(fields: DecisionContext, work: () => T): T
  /** Closes the client at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface SluiceDependencies extends Omit<ClientDependencies, 'context'> {
  readonly storage: ContextStorage
}

export function createSluice({ storage, ...rest }: SluiceDependencies): Sluice {
  const context = createContext(storage)
  const client = createClient({ ...rest, context: context.current })
  const snapshot = createSnapshot(rest.settings.maxDecisionBytes)
  const newId = createUuidV7(rest.platform)
  const now = rest.platform.clock
  const observer: Observer = { log: client.log, context, snapshot, newId, now }
  const startTrace = (fields?: ObservationFields): Observation => startObservation(observer, fields)
  return {
    ...client,
    observe: (fn, options) => observe(observer, fn, options),
    observed: (options) => observed(observer, options),
    trace: (work, fields) => trace(observer, work, fields),
    startTrace,
    withContext: context.within,
    // Early releases of Node 18 lack this symbol. The member is then named "undefined" and unused.
    [Symbol.asyncDispose]: async () => void (await client.close())
  }
}
