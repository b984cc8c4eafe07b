/** Parses the reply of a judge into a grade, or into the reason why it is unusable. */
import type { JudgeScale } from './judge-config.ts'

export interface Grade {
  readonly kind: 'grade'
  readonly reasoning: string
  /** A number or a label, not yet checked against the scale. */
  readonly grade: number | string
}

export interface Unreadable {
  readonly kind: 'unreadable'
  /** Predicate of a message that begins with "the reply". It does not quote the reply. */
  readonly problem: string
}

/** The reply lacks the nonce, so the model may have followed instructions in the content. */
export interface Untrusted {
  readonly kind: 'untrusted'
}

export interface Expected {
  readonly scale: JudgeScale
  readonly nonce: string
}

const gradeMembers = {
  choice: { member: 'label', type: 'string' },
  rubric: { member: 'score', type: 'number' }
} as const

export function readReply(
  text: string,
  { scale, nonce }: Expected
): Grade | Unreadable | Untrusted {
  const reply = objectIn(text)
  if (reply === null) return unreadable('is not a JSON object')
  if (reply['nonce'] !== nonce) return { kind: 'untrusted' }
  const { reasoning } = reply
  if (typeof reasoning !== 'string') return unreadable('has no string "reasoning"')
  const { member, type } = gradeMembers[scale.type]
  const grade = reply[member]
  if (typeof grade !== type) return unreadable(`has no ${type} "${member}"`)
  return { kind: 'grade', reasoning, grade: grade as number | string }
}

type Reply = Readonly<Record<string, unknown>>

function unreadable(problem: string): Unreadable {
  return { kind: 'unreadable', problem }
}

/**
 * Extracts the object from a reply. Models that are not restricted to JSON add reasoning, code
 * fences or text around it.
 */
function objectIn(text: string): Reply | null {
  const spoken = text.replace(/^\s*<think>[^]*?<\/think>/, '')
  const inBraces = spoken.slice(spoken.indexOf('{'), spoken.lastIndexOf('}') + 1)
  for (const candidate of [spoken, inBraces]) {
    const value = parse(candidate)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Reply
  }
  return null
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
