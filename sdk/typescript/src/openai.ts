/** Wraps an OpenAI or compatible client so that each model call is logged as a decision. */
import { suppressErrors } from './suppress-errors.ts'
import { observeModelCall } from './model-call.ts'
import type { AnswerReader } from './model-call.ts'
import { chatInputOf, createChatReader } from './openai-chat.ts'
import { createResponsesReader, responseInputOf } from './openai-responses.ts'
import type { Observation, ObservationFields } from './observation.ts'

export type WrapOptions = Omit<ObservationFields, 'decisionId'>

/** The subset of the Sluice client that a wrapper needs. */
export interface Recorded {
  startTrace(fields?: ObservationFields): Observation
}

/** Reads the requests and responses of one API. */
interface Interface {
  readonly inputOf: (body: object) => unknown
  readonly createReader: () => AnswerReader
}

const chat: Interface = { inputOf: chatInputOf, createReader: createChatReader }
const responses: Interface = { inputOf: responseInputOf, createReader: createResponsesReader }

/** Methods to observe, as a tree of the client's members. */
interface Places {
  readonly [member: string]: Interface | 'rewrap' | Places
}

const chatPlaces: Places = { create: chat, parse: chat }
const places: Places = {
  chat: { completions: chatPlaces },
  beta: { chat: { completions: chatPlaces } },
  responses: { create: responses, parse: responses },
  withOptions: 'rewrap'
}

/**
 * Returns a proxy of the client that logs `create` and `parse` calls of `chat.completions`,
 * `beta.chat.completions` and `responses`, complete or streamed. A client that `withOptions`
 * returns is wrapped, too. Everything else passes through.
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
        if (place === 'rewrap') return wrapOpenAI(sluice, call(args) as object, options)
        const { inputOf, createReader } = place as Interface
        const observation = suppressErrors(() => start(args[0], inputOf))
        if (observation === undefined) return call(args)
        return observeModelCall(() => call(args), observation, createReader())
      }
    })
  }

  function start(body: unknown, inputOf: Interface['inputOf']): Observation {
    const observation = sluice.startTrace(options)
    const request = (body ?? {}) as { readonly model?: unknown }
    observation.setInput(inputOf(request))
    observation.setMetadata({ model: request.model, provider: 'openai' })
    return observation
  }

  return suppressErrors(() => wrapped(client, places)) ?? client
}

type Method = (...args: unknown[]) => unknown

/**
 * Checks for a property that is neither writable nor configurable. A proxy must return its value
 * unchanged.
 */
function isFixed(target: object, name: string | symbol): boolean {
  const found = Object.getOwnPropertyDescriptor(target, name)
  return found?.configurable === false && found.writable === false
}
