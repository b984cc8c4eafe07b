/** A call of a language model, as a decision: what was asked, answered and counted. */
import { listen } from './listen.ts'
import { quietly } from './quietly.ts'
import type { Observation, Tokens } from './observation.ts'

export interface ModelAnswer {
  readonly output: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly tokens: Tokens
}

/** Reads what one interface of models answers; what is not there is left out. */
export interface AnswerReader {
  whole(answer: unknown): ModelAnswer
  chunk(chunk: unknown): void
  /** What the chunks so far amount to. */
  joined(): ModelAnswer
}

/** Runs `call`, whose answer comes back as it is, and ends the observation with what it was. */
export function observeModelCall<T>(
  call: () => T,
  observation: Observation,
  reader: AnswerReader
): T {
  const tell = (read: () => ModelAnswer): void => {
    quietly(() => {
      const { output, metadata, tokens } = read()
      observation.setOutput(output)
      observation.setMetadata(withoutNull(metadata))
      observation.setTokens(tokens)
    })
  }
  const fail = (error: unknown): void => {
    tell(() => reader.joined())
    observation.fail(error)
  }
  try {
    return listen(call(), {
      value: (value) => {
        tell(() => reader.whole(value))
        observation.end()
      },
      chunk: (chunk) => void quietly(() => reader.chunk(chunk)),
      end: () => {
        tell(() => reader.joined())
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
  /** As the model wrote it: JSON, most of the time. */
  readonly arguments: string
}

/** The text alone; with calls of tools, `{ content, tool_calls }`. */
export function outputOf(content: string, toolCalls: readonly ToolCall[]): unknown {
  return toolCalls.length === 0 ? content : { content, tool_calls: toolCalls }
}
