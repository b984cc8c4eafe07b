/** Calls an observed function and reports what the caller receives. */
import type { init } from '../src/index.ts'
import { valueOf } from './values.ts'

type Members = Readonly<Record<string, unknown>>

export interface ObserveCommand {
  /** Options for `observe`, in camel case. */
  readonly fields: Members
  readonly asynchronous?: boolean
  /** Return value of a function that neither yields nor throws. */
  readonly returns?: unknown
  readonly throws?: string
  readonly yields?: readonly unknown[]
  /** Number of items that the caller reads before it stops. Default: all. */
  readonly take?: number
}

class HostError extends RangeError {
  override readonly name = 'HostError'
}

export async function observeCall(
  client: ReturnType<typeof init>,
  command: ObserveCommand
): Promise<Members> {
  const error = new HostError(command.throws ?? '')
  const observed = client.observe(functionOf(command, error), command.fields)
  try {
    const answer = observed('question')
    if (command.yields !== undefined) return { yielded: await takeOf(answer, command) }
    return { returned: command.asynchronous === true ? await answer : answer }
  } catch (thrown) {
    return { thrown: thrown === error ? 'the same' : String(thrown) }
  }
}

function functionOf(command: ObserveCommand, error: HostError): (input: string) => unknown {
  const { asynchronous = false, returns, throws, yields } = command
  if (yields !== undefined && asynchronous) {
    return async function* () {
      yield* yields
      if (throws !== undefined) throw error
    }
  }
  if (yields !== undefined) {
    return function* () {
      yield* yields
      if (throws !== undefined) throw error
    }
  }
  const answer = (): unknown => {
    if (throws !== undefined) throw error
    return valueOf(returns)
  }
  return asynchronous ? async () => answer() : answer
}

async function takeOf(answer: unknown, { take = Infinity }: ObserveCommand): Promise<unknown[]> {
  const taken: unknown[] = []
  for await (const each of answer as AsyncIterable<unknown>) {
    taken.push(each)
    if (taken.length >= take) break
  }
  return taken
}
