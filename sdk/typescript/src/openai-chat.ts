/** Reads the responses of `chat.completions.create`, complete or streamed. */
import { outputOf, withoutNull } from './model-call.ts'
import type { AnswerReader, ModelAnswer, ToolCall } from './model-call.ts'

interface Called {
  readonly name?: string
  readonly arguments?: string
}

interface CallPart {
  readonly index?: number
  readonly id?: string
  readonly function?: Called
  readonly custom?: { readonly name?: string; readonly input?: string }
}

interface Message {
  readonly content?: string | null
  readonly refusal?: string | null
  readonly tool_calls?: readonly CallPart[]
}

/** A complete chat completion, or one chunk of a streamed completion. */
interface Completion {
  readonly id?: string
  readonly model?: string
  readonly choices?: readonly {
    readonly index?: number
    readonly message?: Message
    readonly delta?: Message
    readonly finish_reason?: string | null
  }[]
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface Choice {
  content: string
  finish_reason: string | undefined
  readonly toolCalls: Writable<ToolCall>[]
}

export function chatInputOf({ messages }: { readonly messages?: unknown }): unknown {
  return messages
}

export function createChatReader(): AnswerReader {
  const choices: Choice[] = []
  let known: Completion = {}

  function add(completion: Completion): void {
    known = { ...known, ...(withoutNull(completion) as Completion) }
    for (const { index = 0, message, delta, finish_reason } of completion.choices ?? []) {
      const choice = (choices[index] ??= { content: '', finish_reason: undefined, toolCalls: [] })
      addMessage(choice, message ?? delta ?? {})
      choice.finish_reason = finish_reason ?? choice.finish_reason
    }
  }

  function joined(): ModelAnswer {
    // flatMap skips the holes that missing choices leave in the array.
    const outputs = choices.flatMap(({ content, toolCalls }) => [outputOf(content, toolCalls)])
    const { id, model, usage } = known
    return {
      output: outputs.length > 1 ? outputs : (outputs[0] ?? ''),
      metadata: { model, response_id: id, finish_reason: choices[0]?.finish_reason },
      tokens: { input: usage?.prompt_tokens, output: usage?.completion_tokens }
    }
  }

  return {
    whole: (answer) => {
      add(answer as Completion)
      return joined()
    },
    chunk: (chunk) => add(chunk as Completion),
    joined
  }
}

/**
 * Adds a message or a chunk of one. The chunks of a tool call share an index and each carry a part
 * of its arguments.
 */
function addMessage(choice: Choice, { content, refusal, tool_calls }: Message): void {
  choice.content += content ?? refusal ?? ''
  for (const [place, part] of (tool_calls ?? []).entries()) {
    const { name = '', arguments: text = '' } = calledIn(part)
    const call = (choice.toolCalls[part.index ?? place] ??= { name: '', arguments: '' })
    call.id ??= part.id
    call.name += name
    call.arguments += text
  }
}

function calledIn({ function: called, custom }: CallPart): Called {
  return called ?? { ...custom, ...(custom?.input !== undefined && { arguments: custom.input }) }
}
