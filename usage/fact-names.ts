/** How facts are called in Redis, for whoever writes and whoever reads them.
 *
 *     sluice:facts:keys:<organization>:<hour>     hash: `<key id> accepted`, `<key id> <code>`, …
 *     sluice:facts:agents:<organization>:<hour>   hash: `<digest of the agent_id> <code>`, …
 *     sluice:facts:attempts:<organization>        sorted set by time: the last refused attempts
 *     sluice:facts:use:<key id>                   the last use of a key
 *
 * An hour is a number of hours since 1970. What was dropped is called `dropped.<reason>`.
 */
import { hash } from 'node:crypto'

const prefix = 'sluice:facts'
export const hourMs = 3_600_000
export const keptSeconds = 7 * 24 * 3600
export const accepted = 'accepted'
const dropped = 'dropped.'

export function hourOf(at: number): number {
  return Math.floor(at / hourMs)
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

/** @param whose a key id, or the digest of an agent_id */
export function fieldOf(whose: string, what: string): string {
  return `${whose} ${what}`
}

export function droppedAs(reason: string): string {
  return `${dropped}${reason}`
}

/** The reason, or null where something else was counted. */
export function reasonOf(what: string): string | null {
  return what.startsWith(dropped) ? what.slice(dropped.length) : null
}

/** An agent_id may have 255 characters of any kind; its digest has always 16. */
export function agentDigest(agentId: string): string {
  return hash('sha256', agentId, 'base64url').slice(0, 16)
}
