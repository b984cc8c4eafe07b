/** Events: reads messages and results of evaluations that are sent as events of a span. */
import { Attributes } from './attributes.ts'
import { embeddedJsonOf } from './content.ts'
import type { SpanContent } from './content.ts'
import { jsonOf } from './span.ts'
import type { OtlpSpan, Value, Values } from './span.ts'

const mergedEvents = new Set([
  'gen_ai.client.inference.operation.details',
  'gen_ai.content.prompt',
  'gen_ai.content.completion'
])
const messageEvent = /^gen_ai\.(system|user|assistant|tool)\.message$/
const choiceEvent = 'gen_ai.choice'
/** https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/ */
export const evaluationEvent = 'gen_ai.evaluation.result'

/** Returns the role of a message; null if the event is not a message. */
function roleOf(event: string): string | null {
  return event === choiceEvent ? 'assistant' : (messageEvent.exec(event)?.[1] ?? null)
}

export function isContentEvent(event: string): boolean {
  return mergedEvents.has(event) || roleOf(event) !== null
}

/** Returns the attributes of a span and the content of its events. */
export function contentOf({ attributes, events }: OtlpSpan): SpanContent {
  const [inputMessages, outputMessages, evaluations]: [string[], string[], string[]] = [[], [], []]
  let hasMessages = false
  const all = events.length === 0 ? attributes : new Map<string, Value>()
  for (const { name, attributes: own } of events) {
    const role = roleOf(name)
    if (mergedEvents.has(name)) mergeValues(all, own)
    else if (name === evaluationEvent) evaluations.push(jsonOf(own))
    if (role === null) continue
    hasMessages = true
    const message = messageOf(role, own)
    if (message !== null) (name === choiceEvent ? outputMessages : inputMessages).push(message)
  }
  // If both have a key, the value of the span counts.
  if (all !== attributes) for (const [key, value] of attributes) all.set(key, value)
  return {
    attributes: new Attributes(all),
    inputMessages,
    outputMessages,
    hasMessages,
    evaluations
  }
}

/** Adds the attributes of an event. Lists of messages are joined: streams send them in parts. */
export function mergeValues(all: Map<string, Value>, own: Values): void {
  for (const [key, value] of own) {
    const known = all.get(key)
    if (Array.isArray(known) && Array.isArray(value)) {
      for (const each of value as Value[]) (known as Value[]).push(each)
    } else {
      all.set(key, value)
    }
  }
}

/** Members of a message that are not content. */
const emptyMembers = new Set(['role', 'index', 'finish_reason', 'id', 'name'])

/** Returns a message as JSON; null if its content was not captured. */
function messageOf(role: string, values: Values): string | null {
  const message = mapIn(values, 'message')
  const members = new Map([['role', JSON.stringify(role)]])
  for (const [key, value] of [...values, ...(message ?? [])]) {
    if (key === 'gen_ai.system' || value === null || value === message) continue
    members.set(key, key === 'content' ? jsonOf(value) : embeddedJsonOf(value).json.join(''))
  }
  if ([...members.keys()].every((key) => emptyMembers.has(key))) return null
  return `{${[...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}

function mapIn(values: Values, key: string): Values | null {
  const value = values.get(key)
  return value instanceof Map ? (value as Values) : null
}
