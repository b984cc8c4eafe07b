/** Observes the items of an iterator as its consumer reads them. */
import type { Listener } from './listener.ts'

type Step = { readonly done?: boolean; readonly value?: unknown }
type Method = (...args: unknown[]) => unknown
type Methods = Record<PropertyKey, unknown>

/**
 * Checks whether the value is a generator. Other synchronous iterators are not observed, because
 * they may belong to a collection.
 */
export function isIterator(value: object): boolean {
  return /^\[object (Async)?Generator\]$/.test(Object.prototype.toString.call(value))
}

/**
 * Replaces the methods of the iterator in place and returns it, so that its identity and type stay
 * the same.
 */
export function listenToIterator(iterator: object, listener: Listener): object {
  const methods = iterator as Methods
  for (const name of ['next', 'return', 'throw']) {
    const method = methods[name]
    if (typeof method === 'function') {
      const call = (...args: unknown[]): unknown => Reflect.apply(method as Method, iterator, args)
      replace(iterator, name, (...args) => observeStep(() => call(...args), listener))
    }
  }
  // Without `return`, a consumer that stops early would go unnoticed.
  if (typeof methods['return'] !== 'function' && !isIterator(iterator)) {
    replace(iterator, 'return', (value) => {
      listener.end()
      return Promise.resolve({ done: true, value })
    })
  }
  return iterator
}

/**
 * Observes the iterators of an async iterable and returns the iterable itself. The observation ends
 * with the first iterator that ends. Returns undefined for any other value.
 * @throws {TypeError} if the object is frozen
 */
export function listenToIterable(iterable: object, listener: Listener): object | undefined {
  const methods = iterable as Methods
  if (typeof methods[Symbol.asyncIterator] !== 'function') return undefined
  // Every way to consume the OpenAI client's stream, including `tee`, calls its `iterator` method.
  const isMade = Object.hasOwn(iterable, 'iterator') && typeof methods['iterator'] === 'function'
  const source = isMade ? 'iterator' : Symbol.asyncIterator
  const method = methods[source] as Method
  replace(iterable, source, (...args) => {
    const iterator = Reflect.apply(method, iterable, args)
    return listenToIterator(iterator as object, listener)
  })
  return iterable
}

/**
 * Reports one step. A synchronous iterator returns the step; an asynchronous iterator returns a
 * promise of it.
 */
function observeStep(call: () => unknown, listener: Listener): unknown {
  const onStep = (step: Step | undefined): unknown => {
    if (step?.done === true) listener.end()
    else listener.chunk(step?.value)
    return step
  }
  const onError = (error: unknown): never => {
    listener.fail(error)
    throw error
  }
  let step: unknown
  try {
    step = call()
  } catch (error) {
    return onError(error)
  }
  const { then } = (step ?? {}) as Partial<PromiseLike<Step>>
  if (typeof then !== 'function') return onStep(step as Step | undefined)
  return (step as PromiseLike<Step>).then(onStep, onError)
}

/** @throws {TypeError} if the object is frozen */
function replace(target: object, name: PropertyKey, value: Method): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true })
}
