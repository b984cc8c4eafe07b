/** Wraps a function so that each call is logged as a decision. */
import { joinChunks } from './joined-chunks.ts'
import { listen } from './listen.ts'
import type { Listener } from './listener.ts'
import { suppressErrors } from './suppress-errors.ts'
import { startObservation } from './observation.ts'
import type { Observer, Observation, ObservationFields } from './observation.ts'

export type AnyFunction = (...args: never[]) => unknown

/**
 * Argument of `mapOutput`: the resolved value, or the chunks of a stream, joined if they are text.
 */
export type Observed<R> =
  Awaited<R> extends AsyncIterable<infer C> | Generator<infer C>
    ? [C] extends [string | Uint8Array]
      ? string
      : C[]
    : Awaited<R>

export interface ObserveOptions<F extends AnyFunction = AnyFunction> extends Omit<
  ObservationFields,
  'decisionId'
> {
  /**
   * Returns the input of the decision. Default: the only argument, or an array of several
   * arguments.
   */
  readonly mapInput?: ((...args: Parameters<F>) => unknown) | undefined
  readonly mapOutput?: ((output: Observed<ReturnType<F>>) => unknown) | undefined
}

/**
 * Wraps `fn`, keeping its type, name, properties and `this`. Calls return the result of `fn`, or an
 * equivalent promise or stream; exceptions pass through unchanged. The decision is logged when the
 * result is known, or when a returned stream ends.
 */
export function observe<F extends AnyFunction>(
  observer: Observer,
  fn: F,
  options: ObserveOptions<F> = {}
): F {
  if (typeof fn !== 'function') return fn
  return new Proxy(fn, {
    apply: (target, self, args: Parameters<F>) => {
      const observation = suppressErrors(() => start(observer, options, args))
      return observeCall(() => Reflect.apply(target, self, args), observation, options)
    }
  })
}

function start<F extends AnyFunction>(
  observer: Observer,
  options: ObserveOptions<F>,
  args: Parameters<F>
): Observation {
  const { mapInput } = options
  const observation = startObservation(observer, options)
  observation.setInput(mapped(() => (mapInput === undefined ? inputOf(args) : mapInput(...args))))
  return observation
}

/**
 * Returns an error marker if the mapping throws. The raw value is not sent, because the mapping may
 * exist to remove a secret.
 */
function mapped(map: () => unknown): unknown {
  try {
    return map()
  } catch (error) {
    return `[error: ${error instanceof Error ? error.name : typeof error}]`
  }
}

function inputOf(args: readonly unknown[]): unknown {
  return args.length > 1 ? args : (args[0] ?? null)
}

function observeCall<F extends AnyFunction>(
  call: () => unknown,
  observation: Observation | undefined,
  { mapOutput }: ObserveOptions<F>
): unknown {
  if (observation === undefined) return call()
  const map = mapOutput as ((output: unknown) => unknown) | undefined
  return observeResult(call, observation, (output) => {
    observation.setOutput(mapped(() => (map === undefined ? output : map(output))) ?? 'null')
  })
}

/** Runs `call` and ends the observation with its result. Errors of `setOutput` are suppressed. */
export function observeResult<T>(
  call: () => T,
  observation: Observation,
  setOutput: (output: unknown) => void
): T {
  const chunks = joinChunks()
  const listener: Listener = {
    value: (value) => {
      suppressErrors(() => setOutput(value))
      observation.end()
    },
    chunk: (chunk) => chunks.add(chunk),
    end: () => {
      suppressErrors(() => setOutput(chunks.value()))
      observation.end()
    },
    fail: (error) => {
      if (chunks.value() !== '') suppressErrors(() => setOutput(chunks.value()))
      observation.fail(error)
    }
  }
  try {
    return listen(call(), listener)
  } catch (error) {
    listener.fail(error)
    throw error
  }
}
