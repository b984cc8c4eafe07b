/** Records a model call as a decision: request, response and token counts. */
import { listen } from './listen.ts'
import { suppressErrors } from './suppress-errors.ts'
import type { Observation, Tokens } from './observation.ts'

export interface ModelAnswer {
  readonly output: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly tokens: Tokens
}

/** Reads the responses of one model API. Members that a response lacks are omitted. */
export interface AnswerReader {
  whole(answer: unknown): ModelAnswer
  chunk(chunk: unknown): void
  /** Returns the response assembled from the chunks received so far. */
  joined(): ModelAnswer
}

/**
 * Runs `call` and returns its result, or an equivalent promise or stream. Ends the observation when
 * the result is known.
 */
export function observeModelCall<T>(
  call: () => T,
  observation: Observation,
  reader: AnswerReader
): T {
  const record = (read: () => ModelAnswer): void => {
    suppressErrors(() => {
      const { output, metadata, tokens } = read()
      observation.setOutput(output)
      observation.setMetadata(withoutNull(metadata))
      observation.setTokens(tokens)
    })
  }
  const fail = (error: unknown): void => {
    record(() => reader.joined())
    observation.fail(error)
  }
  try {
    return listen(call(), {
      value: (value) => {
        record(() => reader.whole(value))
        observation.end()
      },
      chunk: (chunk) => void suppressErrors(() => reader.chunk(chunk)),
      end: () => {
        record(() => reader.joined())
        observation.end()
      },
      fail
    })
  } catch (error) {
    fail(error)
    throw error
  }
}

export function withoutNull(members: object): Record<string, unknown> {
  const known = Object.entries(members) as [string, unknown][]
  return Object.fromEntries(known.filter(([, value]) => value !== undefined && value !== null))
}

export interface ToolCall {
  readonly id?: string | undefined
  readonly name: string
  /** Text as the model wrote it, usually JSON. */
  readonly arguments: string
}

/** Returns the text alone, or `{ content, tool_calls }` if the model called tools. */
export function outputOf(content: string, toolCalls: readonly ToolCall[]): unknown {
  return toolCalls.length === 0 ? content : { content, tool_calls: toolCalls }
}
