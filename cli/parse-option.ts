/** Parses option values. Each error says what value is expected. */
import { apiKeyScopes, isKeyEnvironment } from '../core/ids/api-key.ts'
import type { ApiKeyScope } from '../core/ids/api-key.ts'

const pointsMax = 1e9
const nameCharsMax = 100
const durationMsMax = 10 * 365 * 86_400_000
const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Parses scopes separated by commas. */
export function parseScopes(text: string): ApiKeyScope[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  const scopes = names.filter((name): name is ApiKeyScope => apiKeyScopes.some((s) => s === name))
  if (scopes.length === names.length) return scopes
  const unknown = names.find((name) => !apiKeyScopes.some((scope) => scope === name))
  throw new Error(
    `unknown scope ${JSON.stringify(unknown)}; use one or more of ${apiKeyScopes.join(', ')}`
  )
}

/** Parses a rate limit in decisions per window. */
export function parsePoints(text: string): number {
  const points = Number(text)
  if (/^\d+$/.test(text) && points >= 1 && points <= pointsMax) return points
  throw new Error(
    `${JSON.stringify(text)} is not a limit; use a whole number from 1 to ${pointsMax}`
  )
}

/** Parses a replication factor. */
export function parseCopies(text: string): number {
  if (/^[1-9]$/.test(text)) return Number(text)
  throw new Error(`${JSON.stringify(text)} is not a number of replicas; use 1 to 9`)
}

/**
 * Parses a duration such as `90d`.
 * @returns milliseconds
 */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ms = Number(count) * (unitMs[unit as keyof typeof unitMs] ?? Number.NaN)
  if (ms >= 0 && ms <= durationMsMax) return ms
  throw new Error(
    `${JSON.stringify(text)} is not a duration; use a number with s, m, h or d, such as 90d`
  )
}

const momentExpression =
  /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}([.]\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/

/**
 * Parses a time, or a duration before `now`.
 * @returns milliseconds since 1970
 */
export function parseMoment(text: string, now: number): number {
  if (/^\d{1,6}[smhd]$/.test(text)) return now - parseDuration(text)
  const time = momentExpression.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new Error(
    `${JSON.stringify(text)} is not a time; use a duration before now, such as 1h, or a ` +
      'time with a time zone, such as 2026-01-31T08:00Z'
  )
}

/** Parses a positive whole number. */
export function parseCount(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && count <= pointsMax) return count
  throw new Error(
    `${JSON.stringify(text)} is not a count; use a whole number from 1 to ${pointsMax}`
  )
}

export function parsePartitionOrOffset(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new Error(`${JSON.stringify(text)} is not a partition or offset; use a whole number from 0`)
}

/** Parses the position of a dead-letter record, for example `3/17`. */
export function parseRecordPosition(text: string): { partition: number; offset: number } {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text) ?? []
  if (partition !== undefined) return { partition: Number(partition), offset: Number(offset) }
  throw new Error(`${JSON.stringify(text)} is not a position; use partition/offset, such as 3/17`)
}

/**
 * Parses a name. Rejects line breaks and control characters, because names are printed in lists.
 */
export function parseName(text: string): string {
  const name = text.trim()
  const isPlain = !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)
  if (isPlain && name !== '' && name.length <= nameCharsMax) return name
  throw new Error(`a name must have 1 to ${nameCharsMax} characters and no control characters`)
}

/** Parses the `<env>` part of `slk_<env>_…`. */
export function parseEnv(text: string): string {
  if (isKeyEnvironment(text)) return text
  throw new Error(
    `${JSON.stringify(text)} is not a key environment; use 1 to 16 of a-z and 0-9, such as live`
  )
}

/**
 * Parses a key ID. Also accepts a complete API key, because an operator who revokes a leaked key
 * may have only the key. The error does not quote the text, because it may contain a secret.
 */
export function parseKeyId(text: string): string {
  const found = /^(?:slk_[a-z0-9]{1,16}_)?([0-9A-Za-z]{12})(?:_[0-9A-Za-z]+)?$/.exec(text)
  if (found?.[1] !== undefined) return found[1]
  throw new Error('not a key id; a key id has 12 characters and is printed by sluice keys list')
}
