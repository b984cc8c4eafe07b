/** A judge's reply, taken apart: the grade it gives, or what is wrong with it. */
import type { JudgeScale } from './judge-config.ts'

export interface Grade {
  readonly kind: 'grade'
  readonly reasoning: string
  /** A number, or a label: not yet known to be on the scale. */
  readonly grade: number | string
}

export interface Unreadable {
  readonly kind: 'unreadable'
  /** Continues "the reply …"; says nothing of what is in it. */
  readonly problem: string
}

/** Whoever wrote it was not told the nonce, or forgot it: perhaps the content gave the orders. */
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
  if (reply === null) return unreadable('is no JSON object')
  if (reply['nonce'] !== nonce) return { kind: 'untrusted' }
  const { reasoning } = reply
  if (typeof reasoning !== 'string') return unreadable('has no text as "reasoning"')
  const { member, type } = gradeMembers[scale.type]
  const grade = reply[member]
  if (typeof grade !== type) return unreadable(`has no ${type} as "${member}"`)
  return { kind: 'grade', reasoning, grade: grade as number | string }
}

type Reply = Readonly<Record<string, unknown>>

function unreadable(problem: string): Unreadable {
  return { kind: 'unreadable', problem }
}

/** Models that are not held to JSON think aloud first, put it in a fence, or talk around it. */
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
