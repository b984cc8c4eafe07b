/** Hears what a function gave back, whenever it comes, and hands it on as it is. */
import { isIterator, listenToIterable, listenToIterator } from './listen-to-iterator.ts'
import { isReadableStream, listenToStream } from './listen-to-stream.ts'
import type { Listener } from './listener.ts'
import { quietly } from './quietly.ts'

type Then = PromiseLike<unknown>['then']
type Parse = () => PromiseLike<unknown>
interface Thenable {
  then: Then
  parse?: unknown
}

/** Answers `result`, or what is like it in every way but that `listener` hears it. */
export function listen<T>(result: T, listener: Listener): T {
  if ((typeof result !== 'object' && typeof result !== 'function') || result === null) {
    listener.value(result)
    return result
  }
  const heard = quietly(() => listenToObject(result, listener))
  if (heard === undefined) listener.value(result)
  return (heard ?? result) as T
}

/** Undefined when it is a value. */
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
 * A plain promise is followed by another, so that a rejection that nobody handles is still told of.
 * What has a `then` of its own may be more than a promise, and may begin its work only when it is
 * asked: it is handed on itself, and hears the question first.
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
  // The promise of the OpenAI client answers by `parse`, which `then` and `withResponse` ask.
  const { parse } = result
  if (typeof parse === 'function' && result instanceof Promise) {
    const ask = (): PromiseLike<unknown> => Reflect.apply(parse as Parse, result, [])
    return define(result, 'parse', () => (followed ??= follow(ask())))
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
