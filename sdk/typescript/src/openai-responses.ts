/** Reads the responses of `responses.create`, complete or streamed. */
import { outputOf } from './model-call.ts'
import type { AnswerReader, ModelAnswer } from './model-call.ts'

interface Item {
  readonly type?: string
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: string
  readonly input?: string
  readonly content?: readonly { readonly text?: string; readonly refusal?: string }[]
}

interface Response {
  readonly id?: string
  readonly model?: string
  readonly status?: string
  readonly output?: readonly Item[]
  readonly usage?: { readonly input_tokens?: number; readonly output_tokens?: number } | null
}

interface Event {
  readonly type?: string
  readonly delta?: string
  readonly item?: Item
  readonly response?: Response
}

/** Returns the input of a request, together with its instructions if it has any. */
export function responseInputOf(body: {
  readonly input?: unknown
  readonly instructions?: unknown
}): unknown {
  const { input, instructions } = body
  return instructions === undefined || instructions === null ? input : { instructions, input }
}

export function createResponsesReader(): AnswerReader {
  let text = ''
  let response: Response = {}
  const calls: Item[] = []

  function add({ type = '', delta = '', item, response: known }: Event): void {
    if (type === 'response.output_text.delta' || type === 'response.refusal.delta') text += delta
    if (type === 'response.output_item.done' && isCall(item)) calls.push(item)
    response = { ...response, ...known }
  }

  /**
   * Prefers the last event, which repeats the whole response. A consumer that stops early never
   * receives it.
   */
  function joined(): ModelAnswer {
    if ((response.output ?? []).length > 0) return answerOf(response)
    return { ...answerOf(response), output: outputOf(text, calls.map(callOf)) }
  }

  return {
    whole: (answer) => answerOf(answer as Response),
    chunk: (event) => add(event as Event),
    joined
  }
}

function answerOf({ id, model, status, output = [], usage }: Response): ModelAnswer {
  const parts = output.flatMap(({ type, content }) => (type === 'message' ? (content ?? []) : []))
  const text = parts.map((part) => part.text ?? part.refusal ?? '').join('')
  return {
    output: outputOf(text, output.filter(isCall).map(callOf)),
    metadata: { model, response_id: id, finish_reason: status },
    tokens: { input: usage?.input_tokens, output: usage?.output_tokens }
  }
}

function isCall(item: Item | undefined): item is Item {
  return item?.type === 'function_call' || item?.type === 'custom_tool_call'
}

function callOf({ call_id, name = '', arguments: given, input }: Item) {
  return { id: call_id, name, arguments: given ?? input ?? '' }
}
