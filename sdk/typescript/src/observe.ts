/** A function whose every call is a decision. */
import { joinChunks } from './joined-chunks.ts'
import { listen } from './listen.ts'
import type { Listener } from './listener.ts'
import { quietly } from './quietly.ts'
import { startRecording } from './recording.ts'
import type { Recorder, Recording, RecordingFields } from './recording.ts'

export type AnyFunction = (...args: never[]) => unknown

/** What `mapOutput` is given: what was resolved, or all chunks of a stream, joined if text. */
export type Observed<R> =
  Awaited<R> extends AsyncIterable<infer C> | Generator<infer C>
    ? [C] extends [string | Uint8Array]
      ? string
      : C[]
    : Awaited<R>

export interface ObserveOptions<F extends AnyFunction = AnyFunction> extends Omit<
  RecordingFields,
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
  recorder: Recorder,
  fn: F,
  options: ObserveOptions<F> = {}
): F {
  if (typeof fn !== 'function') return fn
  return new Proxy(fn, {
    apply: (target, self, args: Parameters<F>) => {
      const recording = quietly(() => start(recorder, options, args))
      return recordCall(() => Reflect.apply(target, self, args), recording, options)
    }
  })
}

function start<F extends AnyFunction>(
  recorder: Recorder,
  options: ObserveOptions<F>,
  args: Parameters<F>
): Recording {
  const { mapInput } = options
  const recording = startRecording(recorder, options)
  recording.setInput(mapped(() => (mapInput === undefined ? inputOf(args) : mapInput(...args))))
  return recording
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

function recordCall<F extends AnyFunction>(
  call: () => unknown,
  recording: Recording | undefined,
  { mapOutput }: ObserveOptions<F>
): unknown {
  if (recording === undefined) return call()
  const map = mapOutput as ((output: unknown) => unknown) | undefined
  return hearOutcome(call, recording, (output) => {
    recording.setOutput(mapped(() => (map === undefined ? output : map(output))) ?? 'null')
  })
}

/** Runs `call`, and ends the recording with what comes of it; `setOutput` may throw. */
export function hearOutcome<T>(
  call: () => T,
  recording: Recording,
  setOutput: (output: unknown) => void
): T {
  const chunks = joinChunks()
  const listener: Listener = {
    value: (value) => {
      quietly(() => setOutput(value))
      recording.end()
    },
    chunk: (chunk) => chunks.add(chunk),
    end: () => {
      quietly(() => setOutput(chunks.value()))
      recording.end()
    },
    fail: (error) => {
      if (chunks.value() !== '') quietly(() => setOutput(chunks.value()))
      recording.fail(error)
    }
  }
  try {
    return listen(call(), listener)
  } catch (error) {
    listener.fail(error)
    throw error
  }
}
