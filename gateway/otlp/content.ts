/** Content: finds the input and the output of a span among the attributes of each dialect. */
import { syntaxErrorSteps } from '../../core/json/json-syntax.ts'
import { isLong, runSteps } from '../../core/json/steps.ts'
import { decisionBytesMax } from '../ingest/encode.ts'
import { loadIsJson } from '../ingest/kernel/kernel.ts'
import type { Attributes } from './attributes.ts'
import { LongText, SpanError, isText, jsonOf, textOf, valueDepthMax } from './span.ts'
import type { Value } from './span.ts'

/** What a span contains: its attributes with those of its events, and the messages in events. */
export interface SpanContent {
  readonly attributes: Attributes
  readonly inputMessages: readonly string[]
  readonly outputMessages: readonly string[]
  /** Whether an event had a message, even without content. */
  readonly hasMessages: boolean
  /** The attributes of each result of an evaluation, in JSON. */
  readonly evaluations: readonly string[]
}

/** A part of a JSON text: a string, or bytes of the body. */
export type JsonPart = string | Buffer

/** A value as JSON text, and parsed if that was necessary. */
interface Json {
  readonly json: readonly JsonPart[]
  readonly value?: unknown
  /** Whether it was JSON until an SDK cut it, so that it is only a string now. */
  readonly isCut: boolean
}

interface SpanOutput {
  /** A string, in JSON. */
  readonly json: JsonPart
  readonly format: 'text' | 'json'
  readonly isCut: boolean
}

/** Finds content that is written in one way; null if there is none. */
type Source = (content: SpanContent) => Json | null

const messageKeys = ['gen_ai.input.messages', 'pydantic_ai.all_messages']

/** The first source that finds something counts. */
const inputSources: readonly Source[] = [
  (content) =>
    messageKeys.some((key) => content.attributes.has(key)) ? genAiInput(content) : null,
  withMimeType('input'),
  flattened('llm.input_messages.'),
  flattened('gen_ai.prompt.'),
  embedded(['gen_ai.tool.call.arguments']),
  jsonText(['traceloop.entity.input']),
  embedded(['ai.prompt.messages', 'ai.prompt', 'ai.toolCall.args', 'gen_ai.prompt']),
  ({ inputMessages }) => listOfMessages(inputMessages),
  // Instructions or tools without messages.
  genAiInput
]

const outputSources: readonly Source[] = [
  embedded(['gen_ai.output.messages']),
  // Before the value, which is the whole response of the provider.
  flattened('llm.output_messages.'),
  withMimeType('output'),
  flattened('gen_ai.completion.'),
  embedded(['gen_ai.tool.call.result']),
  jsonText(['traceloop.entity.output']),
  plain('ai.response.text'),
  embedded(['ai.response.object', 'ai.response.toolCalls', 'ai.toolCall.result']),
  embedded(['gen_ai.completion', 'final_result']),
  ({ outputMessages }) => listOfMessages(outputMessages)
]

/** Takes the input, as JSON; null if the span has none. */
export function takeInput(content: SpanContent): Json | null {
  return firstOf(inputSources, content)
}

/** Takes the output; null if the span has none. One reply of text only is that text. */
export function takeOutput(content: SpanContent): SpanOutput | null {
  const found = firstOf(outputSources, content)
  if (found === null) return null
  const { json, isCut } = found
  const copied = replyIn(json)
  if (copied !== null) return { json: copied, format: 'text', isCut }
  const all = json.join('')
  const text = onlyTextOf(found.value ?? (isShort(all) ? JSON.parse(all) : null))
  return { json: JSON.stringify(text ?? all), format: text === null ? 'json' : 'text', isCut }
}

/** What most SDKs write before and after the text of a reply. */
const replyHead = /^\[\{"role": ?"assistant", ?"parts": ?\[\{"type": ?"text", ?"content": ?(?=")/
const replyTail = /(?<=")\}\](?:, ?"finish_reason": ?"[\w-]*")?\}\]$/
const edgeBytes = 80

/** Returns the text of such a reply, in JSON; null if it has to be parsed. */
function replyIn([reply]: readonly JsonPart[]): Buffer | null {
  if (typeof reply !== 'object') return null
  const tailFrom = Math.max(0, reply.length - edgeBytes)
  const head = replyHead.exec(reply.toString('latin1', 0, edgeBytes))?.[0]
  const tail = replyTail.exec(reply.toString('latin1', tailFrom))?.[0]
  if (head === undefined || tail === undefined) return null
  const text = reply.subarray(head.length, reply.length - tail.length)
  return isJson(text) ? text : null
}

function firstOf(sources: readonly Source[], content: SpanContent): Json | null {
  for (const source of sources) {
    const found = source(content)
    if (found !== null) return found
  }
  return null
}

/** Returns a value as JSON. A text that is an object or a list in JSON stays as it is. */
export function embeddedJsonOf(value: Value): Json {
  if (!isText(value)) return { json: [jsonOf(value)], isCut: false }
  return isBracketed(value) ? parsed(value) : plainJsonOf(value)
}

const brackets = new Set(Buffer.from('[{'))

function isBracketed(text: string | LongText): boolean {
  const first = text instanceof LongText ? text.bytes[0] : undefined
  return (first !== undefined && brackets.has(first)) || /^\s*[[{]/.test(String(text))
}

/** The start of an object or a list in JSON, which a text in brackets usually lacks. */
const jsonStart = /^\s*(?:\{\s*"|\[\s*[[{"])/

const isJson = loadIsJson()

/** Maximum number of values in a long reply that is parsed. More would block the process. */
const replyValuesMax = 1000

/** Checks whether valid JSON can be parsed at once. */
function isShort(json: string): boolean {
  return !isLong(json) || runSteps(syntaxErrorSteps(json, valueDepthMax, replyValuesMax)) === null
}

function parsed(value: string | LongText): Json {
  const { length } = value instanceof LongText ? value.bytes : value
  if (length > decisionBytesMax)
    throw new SpanError(`a text has more than ${decisionBytesMax} bytes`)
  if (value instanceof LongText && isJson(value.bytes)) return { json: [value.bytes], isCut: false }
  const text = String(value)
  if (text.isWellFormed() && isJsonText(text)) return { json: [text], isCut: false }
  return { ...plainJsonOf(text), isCut: jsonStart.test(text) }
}

function isJsonText(text: string): boolean {
  if (isLong(text)) return runSteps(syntaxErrorSteps(text, Number.POSITIVE_INFINITY)) === null
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function plainJsonOf(value: Value): Json {
  return { json: [jsonOf(value)], value: textOf(value), isCut: false }
}

const genAiParts = [
  ['messages', messageKeys],
  ['system_instructions', ['gen_ai.system_instructions']],
  ['tool_definitions', ['gen_ai.tool.definitions']]
] as const

function genAiInput({ attributes }: SpanContent): Json | null {
  const json: JsonPart[] = []
  let isCut = false
  for (const [name, keys] of genAiParts) {
    const value = attributes.take(keys)
    if (value === undefined) continue
    const part = embeddedJsonOf(value)
    isCut ||= part.isCut
    json.push(`${json.length === 0 ? '{' : ','}"${name}":`, ...part.json)
  }
  return json.length === 0 ? null : { json: [...json, '}'], isCut }
}

/** Finds `input.value` or `output.value`, which is JSON only if its media type says so. */
function withMimeType(name: 'input' | 'output'): Source {
  const [valueKey, typeKey] = [[`${name}.value`], [`${name}.mime_type`]]
  return ({ attributes }) => {
    const value = attributes.take(valueKey)
    if (value === undefined) return null
    const isMarked = attributes.takeText(typeKey) === 'application/json'
    // The request repeats the same messages.
    if (name === 'input' && isMarked) attributes.takeUnder('llm.input_messages.')
    return isMarked && isText(value) ? parsed(value) : plainJsonOf(value)
  }
}

function embedded(keys: readonly string[]): Source {
  return ({ attributes }) => {
    const value = attributes.take(keys)
    return value === undefined ? null : embeddedJsonOf(value)
  }
}

/** Finds a text that is always JSON, even if it is only a string or a number. */
function jsonText(keys: readonly string[]): Source {
  return ({ attributes }) => {
    const value = attributes.take(keys)
    if (value === undefined) return null
    return isText(value) ? parsed(value) : plainJsonOf(value)
  }
}

function plain(key: string): Source {
  return ({ attributes }) => {
    const text = attributes.takeText([key])
    return text === null ? null : plainJsonOf(text)
  }
}

function listOfMessages(messages: readonly string[]): Json | null {
  return messages.length === 0 ? null : { json: [`[${messages.join(',')}]`], isCut: false }
}

/** A value whose members are attributes of their own, for example `prompt.0.role`. */
type Tree = Map<string, Tree | string>

const segmentsMax = 32

/** Rebuilds such a value. Numbers are indexes; `message` is only a wrapper. */
function flattened(prefix: string): Source {
  return ({ attributes }) => {
    const pairs = attributes.takeUnder(prefix)
    if (pairs.length === 0) return null
    const tree: Tree = new Map()
    for (const [key, value] of pairs) {
      const path = key.slice(prefix.length).split('.')
      if (path.length > segmentsMax)
        throw new SpanError(`the key of an attribute has more than ${segmentsMax} segments`)
      if (path[1] === 'message') path.splice(1, 1)
      place(tree, path, jsonOf(value))
    }
    return { json: [jsonOfTree(tree)], isCut: false }
  }
}

/** Places a value. A value in the place of a parent is dropped. */
function place(tree: Tree, path: readonly string[], json: string): void {
  let parent = tree
  for (const segment of path.slice(0, -1)) {
    const known = parent.get(segment)
    const child = known instanceof Map ? known : new Map<string, Tree | string>()
    parent.set(segment, child)
    parent = child
  }
  const last = path.at(-1) ?? ''
  if (!(parent.get(last) instanceof Map)) parent.set(last, json)
}

function jsonOfTree(tree: Tree): string {
  const entries = [...tree].map(
    ([name, child]) => [name, typeof child === 'string' ? child : jsonOfTree(child)] as const
  )
  if (entries.every(([name]) => /^\d{1,9}$/.test(name))) {
    const sorted = entries.toSorted(([one], [other]) => Number(one) - Number(other))
    return `[${sorted.map(([, json]) => json).join(',')}]`
  }
  return `{${entries.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}

/** Members of a reply that add nothing to its text. */
const plainMembers = new Set('role content contents parts finish_reason index name'.split(' '))

type Members = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the text of a string, or of one reply of the assistant that has only text. */
function onlyTextOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  const message: unknown = Array.isArray(value) && value.length === 1 ? value[0] : null
  if (!isObject(message) || !isPlainReply(message)) return null
  const { content, parts = message['contents'] ?? content } = message
  return typeof content === 'string' ? content : textOfParts(parts)
}

function isPlainReply(message: Members): boolean {
  for (const name in message) if (!plainMembers.has(name)) return false
  return (message['role'] ?? 'assistant') === 'assistant'
}

function textOfParts(parts: unknown): string | null {
  if (!Array.isArray(parts) || parts.length === 0) return null
  let all = ''
  for (const part of parts as unknown[]) {
    const text = textOfPart(part)
    if (text === null) return null
    all += text
  }
  return all
}

function textOfPart(part: unknown): string | null {
  const own = isObject(part) ? (part['message_content'] ?? part) : null
  if (!isObject(own) || own['type'] !== 'text') return null
  const text = own['content'] ?? own['text']
  return typeof text === 'string' ? text : null
}
