/** Provides `observe` as a method decorator. */
import { observe } from './observe.ts'
import type { AnyFunction, ObserveOptions } from './observe.ts'
import type { Observer } from './observation.ts'

/** Standard ECMAScript method decorator; `experimentalDecorators` must be off. */
export type MethodDecorator<O extends AnyFunction> = <F extends O>(
  method: F,
  context: { readonly kind: 'method' }
) => F

export function observed<O extends AnyFunction = AnyFunction>(
  observer: Observer,
  options: ObserveOptions<O> = {}
): MethodDecorator<O> {
  return (method) => observe(observer, method, options as unknown as ObserveOptions<typeof method>)
}
