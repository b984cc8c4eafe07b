/** Parses the parameters `from` and `to` into a half-open range. `from` defaults to seven days
 * before `to`, or before now if `to` is omitted.
 *
 * A time is RFC 3339, `now`, or relative to now: `-30m`, `-24h`, `-7d`.
 */
import type { Violation } from '../core/problem.ts'

export interface TimeRange {
  readonly from: Date
  /**
   * Null if the range has no end. An end equal to the current time could exclude the newest rows,
   * because the clock of a gateway may be ahead.
   */
  readonly to: Date | null
}

export interface TimeTexts {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

type ReadTimeRange =
  | { readonly kind: 'range'; readonly range: TimeRange }
  | { readonly kind: 'wrong'; readonly errors: readonly Violation[] }

export const defaultRangeDays = 7
const dayMs = 86_400_000
const expression =
  /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
const agoExpression = /^-(\d{1,6})([mhd])$/
const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs }
/**
 * Ranges are clamped to these times. No decision was received outside them, and later years have
 * more than four digits.
 */
const earliest = 0
const latest = Date.UTC(9999, 11, 31)

export function readTimeRange(texts: TimeTexts, now: number): ReadTimeRange {
  const to = texts.to === undefined ? null : timeOf(texts.to, now)
  const from =
    texts.from === undefined ? (to ?? now) - defaultRangeDays * dayMs : timeOf(texts.from, now)
  const errors = violationsOf(texts, from, to)
  if (errors.length > 0) return { kind: 'wrong', errors }
  return { kind: 'range', range: { from: dateOf(from), to: to === null ? null : dateOf(to) } }
}

function violationsOf(texts: TimeTexts, from: number, to: number | null): readonly Violation[] {
  const wrong = [
    // If `from` is omitted, it is NaN only because `to` is invalid, so report only `to`.
    ...(texts.from !== undefined && Number.isNaN(from) ? [noTime('/from')] : []),
    ...(to !== null && Number.isNaN(to) ? [noTime('/to')] : [])
  ]
  if (wrong.length > 0) return wrong
  return to !== null && from >= to ? [notBefore] : []
}

/** Returns milliseconds since 1970, or NaN for an invalid text. */
function timeOf(text: string, now: number): number {
  if (text === 'now') return now
  const [, count, unit = ''] = agoExpression.exec(text) ?? []
  return count === undefined ? instantOf(text) : now - Number(count) * (unitMs[unit] ?? 0)
}

/**
 * Parses an RFC 3339 time. Returns milliseconds since 1970, or NaN for an invalid text. Rejects
 * dates such as 30 February, which Date would convert to a day in March.
 */
function instantOf(text: string): number {
  const [, seconds, fraction = '', offset = ''] = expression.exec(text) ?? []
  if (seconds === undefined) return Number.NaN
  const local = new Date(`${seconds.toUpperCase()}Z`)
  const isReal =
    !Number.isNaN(local.getTime()) && local.toISOString().startsWith(seconds.toUpperCase())
  return isReal ? local.getTime() + millisecondsOf(fraction) - offsetMsOf(offset) : Number.NaN
}

function millisecondsOf(fraction: string): number {
  return fraction === '' ? 0 : Math.floor(Number(`0${fraction}`) * 1000)
}

function offsetMsOf(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

function dateOf(time: number): Date {
  return new Date(Math.min(Math.max(time, earliest), latest))
}

function noTime(pointer: string): Violation {
  return { pointer, detail: 'must be an RFC 3339 time such as 2026-01-31T12:00:00Z, -24h or now' }
}

const notBefore: Violation = { pointer: '/from', detail: 'must be before `to`' }
