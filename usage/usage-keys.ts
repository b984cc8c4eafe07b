/** Builds the names of the usage counters in Redis.
 *
 *     sluice:usage:keys:<organization>:<hour>     hash: `<key id> accepted`, `<key id> <code>`, …
 *     sluice:usage:agents:<organization>:<hour>   hash: `<digest of the agent_id> <code>`, …
 *     sluice:usage:attempts:<organization>        sorted set by time: the last rejected attempts
 *     sluice:usage:use:<key id>                   the last use of a key
 *
 * `<hour>` is the number of hours since 1970. The code of a dropped decision is `dropped.<reason>`.
 */
import { hash } from 'node:crypto'

const prefix = 'sluice:usage'
export const hourMs = 3_600_000
export const keptDays = 7
export const keptSeconds = keptDays * 24 * 3600
export const accepted = 'accepted'
const dropped = 'dropped.'
/** Owner of the counts beyond the limit per organization and hour. */
export const otherOwners = 'other'

export function hourOf(at: number): number {
  return Math.floor(at / hourMs)
}

/** Returns the start of the oldest hour whose counts are kept, in milliseconds since 1970. */
export function keptSince(now: number): number {
  return hourOf(now - keptSeconds * 1000) * hourMs
}

export function keysName(organizationId: string, hour: number): string {
  return `${prefix}:keys:${organizationId}:${hour}`
}

export function agentsName(organizationId: string, hour: number): string {
  return `${prefix}:agents:${organizationId}:${hour}`
}

export function attemptsName(organizationId: string): string {
  return `${prefix}:attempts:${organizationId}`
}

export function useName(keyId: string): string {
  return `${prefix}:use:${keyId}`
}

/** @param owner a key ID, or the digest of an agent_id */
export function fieldOf(owner: string, what: string): string {
  return `${owner} ${what}`
}

export function droppedAs(reason: string): string {
  return `${dropped}${reason}`
}

/** Returns the reason from a name `dropped.<reason>`, or null for other names. */
export function reasonOf(what: string): string | null {
  return what.startsWith(dropped) ? what.slice(dropped.length) : null
}

/** Returns a digest of 16 characters, because an agent_id can have 255 characters of any kind. */
export function agentDigest(agentId: string): string {
  return hash('sha256', agentId, 'base64url').slice(0, 16)
}
