/** What `init` answers: a client, and everything that makes decisions of what a program does. */
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
   * `fn` with the same type, whose every call is logged: its arguments as input, what it returns,
   * resolves or yields as output, what it throws in `metadata.error`.
   */
  observe<F extends AnyFunction>(fn: F, options?: ObserveOptions<F>): F
  /** `observe` for methods of classes: `@sluice.observed()`. */
  observed<O extends AnyFunction = AnyFunction>(options?: ObserveOptions<O>): MethodDecorator<O>
  /** Runs `work`, which tells of its decision by and by, and answers as it does. */
  trace<T>(work: (trace: Trace) => T, fields?: ObservationFields): T
  /** A decision that ends when `end` or `fail` is called: for wrappers of your own. */
  startTrace(fields?: ObservationFields): Observation
  /** Runs `work`, whose decisions belong to what `fields` say, and answers as it does. */
  withContext<T>(fields: DecisionContext, work: () => T): T
  /** Closes at the end of `await using`. */
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
    // Before Node 20 there is no such symbol; the member is then named "undefined" and unused.
    [Symbol.asyncDispose]: async () => void (await client.close())
  }
}
