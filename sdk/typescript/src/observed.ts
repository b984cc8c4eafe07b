/** `observe` as a decorator of methods. */
import { observe } from './observe.ts'
import type { AnyFunction, ObserveOptions } from './observe.ts'
import type { Recorder } from './recording.ts'

/** What TypeScript and the language itself call a decorator of methods. */
export type MethodDecorator<O extends AnyFunction> = <F extends O>(
  method: F,
  context: { readonly kind: 'method' }
) => F

export function observed<O extends AnyFunction = AnyFunction>(
  recorder: Recorder,
  options: ObserveOptions<O> = {}
): MethodDecorator<O> {
  return (method) => observe(recorder, method, options as unknown as ObserveOptions<typeof method>)
}
