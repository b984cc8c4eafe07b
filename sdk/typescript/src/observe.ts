/** A function whose every call is a decision. */
import { joinChunks } from './joined-chunks.ts'
import { listen } from './listen.ts'
import type { Listener } from './listener.ts'
import { quietly } from './quietly.ts'
import { startObservation } from './observation.ts'
import type { Observer, Observation, ObservationFields } from './observation.ts'

export type AnyFunction = (...args: never[]) => unknown

/** What `mapOutput` is given: what was resolved, or all chunks of a stream, joined if text. */
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
  /** The input of the decision; its first argument, or all of several, when absent. */
  readonly mapInput?: ((...args: Parameters<F>) => unknown) | undefined
  readonly mapOutput?: ((output: Observed<ReturnType<F>>) => unknown) | undefined
}

/**
 * `fn` with the same type, name, properties and `this`. What it returns or throws comes back as it
 * is; the decision is logged when that is known, or when a stream of it ends.
 */
export function observe<F extends AnyFunction>(
  observer: Observer,
  fn: F,
  options: ObserveOptions<F> = {}
): F {
  if (typeof fn !== 'function') return fn
  return new Proxy(fn, {
    apply: (target, self, args: Parameters<F>) => {
      const observation = quietly(() => start(observer, options, args))
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

/** What cannot be mapped is not sent unmapped: the mapping may be there to leave out a secret. */
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
  return hearOutcome(call, observation, (output) => {
    observation.setOutput(mapped(() => (map === undefined ? output : map(output))) ?? 'null')
  })
}

/** Runs `call`, and ends the observation with what comes of it; `setOutput` may throw. */
export function hearOutcome<T>(
  call: () => T,
  observation: Observation,
  setOutput: (output: unknown) => void
): T {
  const chunks = joinChunks()
  const listener: Listener = {
    value: (value) => {
      quietly(() => setOutput(value))
      observation.end()
    },
    chunk: (chunk) => chunks.add(chunk),
    end: () => {
      quietly(() => setOutput(chunks.value()))
      observation.end()
    },
    fail: (error) => {
      if (chunks.value() !== '') quietly(() => setOutput(chunks.value()))
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
