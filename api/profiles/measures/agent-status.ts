/** Whether an agent is at work, and whether it is silent though it usually is not. */
import { dayMs, hourMs } from '../../stats/hour-range.ts'

export const agentStatuses = ['active', 'idle', 'silent', 'new', 'archived'] as const
export type AgentStatus = (typeof agentStatuses)[number]

export interface AgentTimes {
  readonly firstSeen: number
  readonly lastSeen: number
  readonly archived: boolean
}

/** Hours that tell what is usual; milliseconds, half-open. */
export interface Reference {
  readonly from: number
  readonly to: number
}

export interface Silence {
  readonly since: string
  /** Decisions in an hour, at such a time of the week. */
  readonly usual_per_hour: number
  /** How many there would have been. */
  readonly expected: number
}

const weekMs = 7 * dayMs
const newMs = weekMs
const idleMs = dayMs
const silenceMsMin = hourMs
/** Whoever was away for longer is not missed any more. */
const silenceMsMax = 30 * dayMs
/** Of agents that come at random, fewer than one in a hundred pause for so many. */
const missedMin = 5

/**
 * The same hours a week before, so that a night or a Sunday is no silence. An agent that is younger
 * is held against all its days, once it had one and was away for another.
 * @returns null when nobody would wonder.
 */
export function referenceOf({ firstSeen, lastSeen, archived }: AgentTimes, now: number) {
  const silentMs = now - lastSeen
  if (archived || silentMs < silenceMsMin || silentMs > silenceMsMax) return null
  const lifeMs = lastSeen - firstSeen
  if (lifeMs >= weekMs) return hoursOf(lastSeen - weekMs, Math.min(now - weekMs, lastSeen))
  return lifeMs >= dayMs && silentMs >= dayMs ? hoursOf(firstSeen, lastSeen) : null
}

/** @param decisions how many there were in the hours of reference */
export function silenceOf(
  { lastSeen }: Pick<AgentTimes, 'lastSeen'>,
  { reference, decisions, now }: { reference: Reference; decisions: number; now: number }
): Silence | null {
  const usual = decisions / ((reference.to - reference.from) / hourMs)
  const expected = usual * ((now - lastSeen) / hourMs)
  if (expected < missedMin) return null
  return {
    since: new Date(lastSeen).toISOString(),
    usual_per_hour: Math.round(usual * 10) / 10,
    expected: Math.round(expected)
  }
}

export function statusOf(times: AgentTimes, silence: Silence | null, now: number): AgentStatus {
  if (times.archived) return 'archived'
  if (silence !== null) return 'silent'
  if (now - times.lastSeen >= idleMs) return 'idle'
  return now - times.firstSeen < newMs ? 'new' : 'active'
}

function hoursOf(from: number, to: number): Reference {
  const start = Math.floor(from / hourMs) * hourMs
  return { from: start, to: Math.max(start + hourMs, Math.floor(to / hourMs) * hourMs) }
}
