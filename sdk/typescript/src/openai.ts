/** A client of the shape of OpenAI's whose calls are decisions. */
import { quietly } from './quietly.ts'
import { observeModelCall } from './model-call.ts'
import type { AnswerReader } from './model-call.ts'
import { chatInputOf, createChatReader } from './openai-chat.ts'
import { createResponsesReader, responseInputOf } from './openai-responses.ts'
import type { Observation, ObservationFields } from './observation.ts'

export type WrapOptions = Omit<ObservationFields, 'decisionId'>

/** What a wrapper needs of `init`'s answer. */
export interface Recorded {
  startTrace(fields?: ObservationFields): Observation
}

/** One interface of the client: how its calls are read. */
interface Interface {
  readonly inputOf: (body: object) => unknown
  readonly createReader: () => AnswerReader
}

const chat: Interface = { inputOf: chatInputOf, createReader: createChatReader }
const responses: Interface = { inputOf: responseInputOf, createReader: createResponsesReader }

/** Where calls are made, member by member from the client on. */
interface Places {
  readonly [member: string]: Interface | 'again' | Places
}

const chatPlaces: Places = { create: chat, parse: chat }
const places: Places = {
  chat: { completions: chatPlaces },
  beta: { chat: { completions: chatPlaces } },
  responses: { create: responses, parse: responses },
  withOptions: 'again'
}

/**
 * The client, to be used as before: `chat.completions.create`, `responses.create` and `parse` of
 * both, whole or streamed, are logged; everything else goes through.
 */
export function wrapOpenAI<C extends object>(
  sluice: Recorded,
  client: C,
  options: WrapOptions = {}
): C {
  const wrapped = <T extends object>(target: T, here: Places): T =>
    new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(target, name, target)
        const place = typeof name === 'string' ? here[name] : undefined
        if (isFixed(target, name)) return value
        if (typeof value === 'function') return wrapMethod(target, value as Method, place)
        const isPart = typeof value === 'object' && value !== null && place !== undefined
        return isPart ? wrapped(value, place as Places) : value
      }
    })

  function wrapMethod(target: object, method: Method, place: Places[string] | undefined): Method {
    const call = (args: unknown[]): unknown => Reflect.apply(method, target, args)
    return new Proxy(method, {
      apply: (_, __, args: unknown[]) => {
        if (place === undefined) return call(args)
        if (place === 'again') return wrapOpenAI(sluice, call(args) as object, options)
        const { inputOf, createReader } = place as Interface
        const observation = quietly(() => start(args[0], inputOf))
        if (observation === undefined) return call(args)
        return observeModelCall(() => call(args), observation, createReader())
      }
    })
  }

  function start(body: unknown, inputOf: Interface['inputOf']): Observation {
    const observation = sluice.startTrace(options)
    const asked = (body ?? {}) as { readonly model?: unknown }
    observation.setInput(inputOf(asked))
    observation.setMetadata({ model: asked.model, provider: 'openai' })
    return observation
  }

  return quietly(() => wrapped(client, places)) ?? client
}

type Method = (...args: unknown[]) => unknown

/** What a proxy must show as it is. */
function isFixed(target: object, name: string | symbol): boolean {
  const found = Object.getOwnPropertyDescriptor(target, name)
  return found?.configurable === false && found.writable === false
}
