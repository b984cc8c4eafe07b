/** Texts of options to values; each error says what was expected instead. */
import { apiKeyScopes, isKeyEnvironment } from '../core/ids/api-key.ts'
import type { ApiKeyScope } from '../core/ids/api-key.ts'

const pointsMax = 1e9
const nameCharsMax = 100
const durationMsMax = 10 * 365 * 86_400_000
const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Separated by commas. */
export function parseScopes(text: string): ApiKeyScope[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  const scopes = names.filter((name): name is ApiKeyScope => apiKeyScopes.some((s) => s === name))
  if (scopes.length === names.length) return scopes
  const unknown = names.find((name) => !apiKeyScopes.some((scope) => scope === name))
  throw new Error(`no scope ${JSON.stringify(unknown)}; there are ${apiKeyScopes.join(', ')}`)
}

/** Decisions in a window. */
export function parsePoints(text: string): number {
  const points = Number(text)
  if (/^\d+$/.test(text) && points >= 1 && points <= pointsMax) return points
  throw new Error(`${JSON.stringify(text)} is no limit; give a whole number from 1 to ${pointsMax}`)
}

/** Copies of each partition. */
export function parseCopies(text: string): number {
  if (/^[1-9]$/.test(text)) return Number(text)
  throw new Error(`${JSON.stringify(text)} is no number of copies; give one from 1 to 9`)
}

/** @returns milliseconds. */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ms = Number(count) * (unitMs[unit as keyof typeof unitMs] ?? Number.NaN)
  if (ms >= 0 && ms <= durationMsMax) return ms
  throw new Error(
    `${JSON.stringify(text)} is no duration; give a number and s, m, h or d, such as 90d`
  )
}

const momentExpression =
  /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}([.]\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** So long ago, or at that time. @returns milliseconds since 1970. */
export function parseMoment(text: string, now: number): number {
  if (/^\d{1,6}[smhd]$/.test(text)) return now - parseDuration(text)
  const time = momentExpression.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new Error(
    `${JSON.stringify(text)} is no time; give how long ago, such as 1h, ` +
      'or a time with its zone, such as 2026-01-31T08:00Z'
  )
}

/** How many, at least one. */
export function parseCount(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && count <= pointsMax) return count
  throw new Error(`${JSON.stringify(text)} is no number; give a whole one from 1 to ${pointsMax}`)
}

/** Of a partition or an offset. */
export function parsePlace(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new Error(`${JSON.stringify(text)} is none; give a whole number from 0 on`)
}

/** Where a dead letter lies: its partition and its offset. */
export function parseLetterPlace(text: string): { partition: number; offset: number } {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text) ?? []
  if (partition !== undefined) return { partition: Number(partition), offset: Number(offset) }
  throw new Error(`${JSON.stringify(text)} is no place; give partition and offset, such as 3/17`)
}

/** Shown in lists, so no line breaks and nothing that a terminal obeys. */
export function parseName(text: string): string {
  const name = text.trim()
  const isPlain = !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)
  if (isPlain && name !== '' && name.length <= nameCharsMax) return name
  throw new Error(`give a name of 1 to ${nameCharsMax} characters, without control characters`)
}

/** The <env> of slk_<env>_…. */
export function parseEnv(text: string): string {
  if (isKeyEnvironment(text)) return text
  throw new Error(`${JSON.stringify(text)} is none; give 1 to 16 of a-z and 0-9, such as live`)
}

/**
 * A key itself is taken too, since that is what somebody who found one has in his hands; so what
 * is not understood is not repeated.
 */
export function parseKeyId(text: string): string {
  const found = /^(?:slk_[a-z0-9]{1,16}_)?([0-9A-Za-z]{12})(?:_[0-9A-Za-z]+)?$/.exec(text)
  if (found?.[1] !== undefined) return found[1]
  throw new Error('that is no id of a key; it has 12 characters, and sluice keys list shows it')
}
