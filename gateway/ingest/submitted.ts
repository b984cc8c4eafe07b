/** Reads agent_id and sdk_version from a submission, even an invalid one. */
import { Problem } from '../../core/problem.ts'
import type { Item } from './each.ts'
import type { Submission } from './parse.ts'

const agentIdCharsMax = 255
const sdkVersionCharsMax = 100

/**
 * Returns the agent_id: empty if the submission names no agent, and null if the agent_id is invalid
 * or there is no JSON object to read it from.
 */
export function agentIdOf(submission: Item<Submission> | null): string | null {
  const value = valueOf(submission)
  if (value === null) return null
  const agentId = value['agent_id'] ?? ''
  return isText(agentId, agentIdCharsMax) ? agentId : null
}

export function sdkVersionOf(submission: Item<Submission> | null): string | null {
  const version = valueOf(submission)?.['sdk_version']
  return isText(version, sdkVersionCharsMax) ? version : null
}

function valueOf(submission: Item<Submission> | null): Record<string, unknown> | null {
  if (submission === null || submission instanceof Problem) return null
  const { value } = submission
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : null
}

/**
 * Checks whether the value is valid in a decision: well-formed, within the length limit, without
 * U+0000.
 */
function isText(value: unknown, charsMax: number): value is string {
  if (typeof value !== 'string' || value.length > 2 * charsMax) return false
  return value.isWellFormed() && !value.includes('\0') && [...value].length <= charsMax
}
