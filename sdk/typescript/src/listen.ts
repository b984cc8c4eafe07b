/** Observes the result of a function, immediate or asynchronous, and returns it or an equivalent
 * promise or stream.
 */
import { isIterator, listenToIterable, listenToIterator } from './listen-to-iterator.ts'
import { isReadableStream, listenToStream } from './listen-to-stream.ts'
import type { Listener } from './listener.ts'
import { suppressErrors } from './suppress-errors.ts'

type Then = PromiseLike<unknown>['then']
type Parse = () => PromiseLike<unknown>
interface Thenable {
  then: Then
  parse?: unknown
}

/** Returns `result`, or an equivalent promise or stream that notifies `listener`. */
export function listen<T>(result: T, listener: Listener): T {
  if ((typeof result !== 'object' && typeof result !== 'function') || result === null) {
    listener.value(result)
    return result
  }
  const observed = suppressErrors(() => listenToObject(result, listener))
  if (observed === undefined) listener.value(result)
  return (observed ?? result) as T
}

/** Returns undefined if the result is neither a promise nor a stream. */
function listenToObject(result: object, listener: Listener): unknown {
  if (isThenable(result)) return listenToThenable(result, listener)
  if (isReadableStream(result)) return listenToStream(result, listener)
  if (isIterator(result)) return listenToIterator(result, listener)
  return listenToIterable(result, listener)
}

function isThenable(value: object): value is Thenable {
  return typeof (value as Partial<Thenable>).then === 'function'
}

/**
 * Replaces a plain promise with one that follows it, so that unhandled rejections are still
 * reported. Any other thenable is returned as the same object with its methods replaced, because it
 * may have more methods than a promise, or start its work only when `then` is called.
 */
function listenToThenable(result: Thenable, listener: Listener): unknown {
  const follow = (promise: PromiseLike<unknown>): PromiseLike<unknown> =>
    promise.then(
      (value) => listen(value, listener),
      (error: unknown) => {
        listener.fail(error)
        throw error
      }
    )
  if (result.then === Promise.prototype.then && result.constructor === Promise) {
    return follow(result)
  }
  let followed: PromiseLike<unknown> | undefined
  // The OpenAI client's promise settles through `parse`, which `then` and `withResponse` call.
  const { parse } = result
  if (typeof parse === 'function' && result instanceof Promise) {
    const callParse = (): PromiseLike<unknown> => Reflect.apply(parse as Parse, result, [])
    return define(result, 'parse', () => (followed ??= follow(callParse())))
  }
  const then = result.then.bind(result)
  const once = (): Promise<unknown> => (followed ??= follow({ then })) as Promise<unknown>
  const answers: Record<string, (...args: never[]) => unknown> = {
    then: (...args: Parameters<Then>) => once().then(...args),
    catch: (refused: () => unknown) => once().then(undefined, refused),
    finally: (settled: () => void) => Promise.resolve(once()).finally(settled)
  }
  for (const [name, answer] of Object.entries(answers)) {
    if (name in result) define(result, name, answer)
  }
  return result
}

function define(target: object, name: PropertyKey, value: unknown): object {
  return Object.defineProperty(target, name, { value, configurable: true, writable: true })
}
