/** Middleware for the Vercel AI SDK: logs each model call as a decision. */
import { outputOf, observeModelCall } from './model-call.ts'
import type { AnswerReader, ModelAnswer, ToolCall } from './model-call.ts'
import type { Recorded, WrapOptions } from './openai.ts'
import { suppressErrors } from './suppress-errors.ts'
import type { Observation } from './observation.ts'

interface Model {
  readonly modelId: string
  readonly provider: string
}

interface ModelRequest {
  readonly params: { readonly prompt: unknown }
  readonly model: Model
}

interface WrappedCall<G, S> extends ModelRequest {
  readonly doGenerate: () => PromiseLike<G>
  readonly doStream: () => PromiseLike<S>
}

/** Implements middleware specifications v2 (AI SDK 5), v3 (AI SDK 6) and v4 (AI SDK 7). */
export interface SluiceMiddleware<V extends string> {
  readonly specificationVersion: V
  wrapGenerate<G, S>(wrapped: WrappedCall<G, S>): Promise<G>
  wrapStream<G, S>(wrapped: WrappedCall<G, S>): Promise<S>
}

export interface MiddlewareOptions<V extends string> extends WrapOptions {
  /**
   * Specification version of the installed AI SDK: v4 for AI SDK 7, v3 for AI SDK 6. AI SDK 5 does
   * not check it. Default: v4.
   */
  readonly specificationVersion?: V
}

export function sluiceMiddleware<V extends string = 'v4'>(
  sluice: Recorded,
  options: MiddlewareOptions<V> = {}
): SluiceMiddleware<V> {
  const { specificationVersion = 'v4', ...fields } = options

  function start({ params, model }: ModelRequest): Observation {
    const observation = sluice.startTrace(fields)
    observation.setInput(params.prompt)
    observation.setMetadata({ model: model.modelId, provider: model.provider })
    return observation
  }

  return {
    specificationVersion: specificationVersion as V,
    wrapGenerate: async (wrapped) => {
      const observation = suppressErrors(() => start(wrapped))
      if (observation === undefined) return await wrapped.doGenerate()
      return await observeModelCall(() => wrapped.doGenerate(), observation, createPartReader())
    },
    wrapStream: async <G, S>(wrapped: WrappedCall<G, S>) => {
      const observation = suppressErrors(() => start(wrapped))
      if (observation === undefined) return await wrapped.doStream()
      return await recordStream(wrapped.doStream, observation)
    }
  }
}

/**
 * Observes the `stream` member of the result. Other members, such as request details, pass through.
 */
async function recordStream<S>(
  doStream: () => PromiseLike<S>,
  observation: Observation
): Promise<S> {
  const reader = createPartReader()
  let answer: S
  try {
    answer = await doStream()
  } catch (error) {
    observation.fail(error)
    throw error
  }
  const { stream } = answer as { readonly stream: unknown }
  return { ...answer, stream: observeModelCall(() => stream, observation, reader) }
}

type Count = number | { readonly total?: number | undefined } | undefined

/** One part of a streamed or complete response; `type` determines which members are set. */
interface Part {
  readonly type?: string
  readonly text?: string
  readonly delta?: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly input?: unknown
  readonly modelId?: string
  readonly id?: string
  readonly error?: unknown
  readonly usage?: { readonly inputTokens?: Count; readonly outputTokens?: Count }
  readonly finishReason?: string | { readonly unified?: string }
}

interface Generated extends Part {
  readonly content?: readonly Part[]
  readonly response?: { readonly id?: string; readonly modelId?: string }
}

function createPartReader(): AnswerReader {
  let text = ''
  let known: Part = {}
  const toolCalls: ToolCall[] = []

  function add(part: Part): void {
    const { type, toolCallId: id, toolName: name = '', input } = part
    if (type === 'text-delta') text += part.delta ?? ''
    if (type === 'text') text += part.text ?? ''
    if (type === 'tool-call') toolCalls.push({ id, name, arguments: asText(input) })
    if (type === 'finish' || type === 'response-metadata') known = { ...known, ...part }
    if (type === 'error') known = { ...known, error: part.error }
  }

  function joined(): ModelAnswer {
    const { id, modelId, usage, finishReason: reason, error } = known
    const finish_reason = typeof reason === 'object' ? reason.unified : reason
    const failed = error === undefined ? {} : { error: messageOf(error) }
    return {
      output: outputOf(text, toolCalls),
      // An undefined model does not overwrite the requested model.
      metadata: { model: modelId, response_id: id, finish_reason, ...failed },
      tokens: { input: totalOf(usage?.inputTokens), output: totalOf(usage?.outputTokens) }
    }
  }

  function whole({ content = [], response, ...finish }: Generated): ModelAnswer {
    content.forEach(add)
    add({ ...response, ...finish, type: 'finish' })
    return joined()
  }

  return {
    whole: (answer) => whole(answer as Generated),
    chunk: (part) => add(part as Part),
    joined
  }
}

function totalOf(count: Count): number | undefined {
  return typeof count === 'object' ? count.total : count
}

function asText(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '')
}

function messageOf(error: unknown): { name: string; message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: typeof error, message: String(error) }
}
