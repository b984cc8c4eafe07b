/** Extracts the texts of an input of any shape: a prompt, messages, or an object with fields. */

/** Maximum number of values visited, counted from the beginning. */
const nodesMax = 2000
/** Members that contain labels instead of text. */
const labels = new Set(['role', 'type'])
/** Members that contain the messages of a conversation in common APIs. */
const conversationNames = ['messages', 'contents', 'input', 'conversation', 'chat', 'history']
/** Members that usually contain a single question. */
const questionNames = ['question', 'query', 'prompt', 'instruction', 'message', 'task']
const userRoles = new Set<unknown>(['user', 'human'])

export interface InputText {
  /** All texts in order, one per line. */
  readonly all: string
  /** `all` in lower case. */
  readonly lower: string
  /** Returns the last user message or the question in lower case, or `lower` without them. */
  readonly lowerRequest: () => string
  /** Whether the input has more text than `all`. */
  readonly isCut: boolean
}

export function inputTextOf(value: unknown, charactersMax: number): InputText {
  const { text: all, isCut } = textsOf(value, charactersMax)
  const lower = all.toLowerCase()
  return { all, lower, lowerRequest, isCut }

  function lowerRequest(): string {
    const request = requestOf(value)
    if (request === undefined || request === value) return lower
    return textsOf(request, charactersMax).text.toLowerCase()
  }
}

function requestOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Readonly<Record<string, unknown>>
  const conversation = Array.isArray(value)
    ? value
    : firstOf(fields, conversationNames, (field) => Array.isArray(field))
  const said = Array.isArray(conversation) ? lastSaidOf(conversation) : undefined
  return said ?? firstOf(fields, questionNames, (field) => typeof field === 'string')
}

function firstOf(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
  fits: (field: unknown) => boolean
): unknown {
  const name = names.find(
    (candidate) => Object.hasOwn(fields, candidate) && fits(fields[candidate])
  )
  return name === undefined ? undefined : fields[name]
}

function lastSaidOf(messages: readonly unknown[]): unknown {
  // Searches only the last messages, because a long conversation has a user message near its end.
  for (const message of messages.slice(-nodesMax).reverse()) {
    if (typeof message !== 'object' || message === null) continue
    const { role, type, content, parts, text } = message as Readonly<Record<string, unknown>>
    if (userRoles.has(role ?? type)) return content ?? parts ?? text
  }
  return undefined
}

interface Pending {
  readonly stack: unknown[]
  nodes: number
}

function textsOf(value: unknown, charactersMax: number): { text: string; isCut: boolean } {
  const texts: string[] = []
  const pending: Pending = { stack: [value], nodes: nodesMax }
  let characters = 0
  while (pending.stack.length > 0 && characters < charactersMax) {
    const next = pending.stack.pop()
    if (typeof next === 'string') {
      texts.push(next)
      characters += next.length + 1
    } else if (typeof next === 'object' && next !== null) {
      pushMembers(pending, next)
    }
  }
  const isCut = pending.stack.length > 0 || pending.nodes <= 0 || characters > charactersMax + 1
  return { text: texts.join('\n').slice(0, charactersMax), isCut }
}

/** Pushes the members in reverse, so that the first is popped first. */
function pushMembers(pending: Pending, parent: object): void {
  const members: unknown[] = []
  for (const [name, member] of Array.isArray(parent) ? parent.entries() : Object.entries(parent)) {
    if (pending.nodes-- <= 0) break
    if (typeof name === 'string' && labels.has(name)) continue
    members.push(member)
  }
  for (const member of members.reverse()) pending.stack.push(member)
}
