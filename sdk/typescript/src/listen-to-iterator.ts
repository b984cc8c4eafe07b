/** Hears what an iterator gives to whoever reads it, at their pace. */
import type { Listener } from './listener.ts'

type Step = { readonly done?: boolean; readonly value?: unknown }
type Method = (...args: unknown[]) => unknown
type Methods = Record<PropertyKey, unknown>

/** What a generator function gives back; other iterators stand for something that is kept. */
export function isIterator(value: object): boolean {
  return /^\[object (Async)?Generator\]$/.test(Object.prototype.toString.call(value))
}

/** The iterator itself, with its methods replaced: it passes every test that it passed before. */
export function listenToIterator(iterator: object, listener: Listener): object {
  const methods = iterator as Methods
  for (const name of ['next', 'return', 'throw']) {
    const method = methods[name]
    if (typeof method === 'function') {
      const call = (...args: unknown[]): unknown => Reflect.apply(method as Method, iterator, args)
      replace(iterator, name, (...args) => hear(() => call(...args), listener))
    }
  }
  // Without it, a reader who leaves early would not say so.
  if (typeof methods['return'] !== 'function' && !isIterator(iterator)) {
    replace(iterator, 'return', (value) => {
      listener.end()
      return Promise.resolve({ done: true, value })
    })
  }
  return iterator
}

/**
 * The iterable itself, whose iterators are heard; the listener hears the first of them that ends.
 * Undefined when it is none, or cannot be changed.
 */
export function listenToIterable(iterable: object, listener: Listener): object | undefined {
  const methods = iterable as Methods
  if (typeof methods[Symbol.asyncIterator] !== 'function') return undefined
  // All that the stream of the OpenAI client offers, `tee` included, comes from this one.
  const isMade = Object.hasOwn(iterable, 'iterator') && typeof methods['iterator'] === 'function'
  const source = isMade ? 'iterator' : Symbol.asyncIterator
  const method = methods[source] as Method
  replace(iterable, source, (...args) => {
    const iterator = Reflect.apply(method, iterable, args)
    return listenToIterator(iterator as object, listener)
  })
  return iterable
}

/** Steps of asynchronous iterators are promises; those of others are there at once. */
function hear(call: () => unknown, listener: Listener): unknown {
  const tell = (step: Step | undefined): unknown => {
    if (step?.done === true) listener.end()
    else listener.chunk(step?.value)
    return step
  }
  const tellError = (error: unknown): never => {
    listener.fail(error)
    throw error
  }
  let step: unknown
  try {
    step = call()
  } catch (error) {
    return tellError(error)
  }
  const { then } = (step ?? {}) as Partial<PromiseLike<Step>>
  if (typeof then !== 'function') return tell(step as Step | undefined)
  return (step as PromiseLike<Step>).then(tell, tellError)
}

/** @throws {TypeError} when the object is frozen. */
function replace(target: object, name: PropertyKey, value: Method): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true })
}
