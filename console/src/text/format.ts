/** Formats times, sizes and counts. */

const formats = new Map<string, Intl.DateTimeFormat>()

function formatIn(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit' } as const
    const rest = { minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 } as const
    format = new Intl.DateTimeFormat('sv-SE', { ...parts, ...rest, timeZone: zone })
    formats.set(zone, format)
  }
  return format
}

/** Formats a time as `2026-01-31 12:00:00.190` in the zone. */
export function formatTime(iso: string, zone: string): string {
  return formatIn(zone).format(new Date(iso)).replace(',', '.')
}

/** Formats a number with its noun, for example `1 line` or `12,408 bytes`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

export function formatBytes(bytes: number): string {
  return formatCount(bytes, 'byte')
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Formats microseconds, for example `655 ms` or `40 µs`. */
export function formatDuration(microseconds: number | null): string {
  if (microseconds === null) return ''
  if (microseconds < 1000) return `${microseconds} µs`
  return `${Math.round(microseconds / 1000).toLocaleString('en')} ms`
}

const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** Formats a share as a percentage, for example `93.8%`. */
export function formatShare(share: number): string {
  return shares.format(share)
}

export function formatNumber(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 3 })
}

interface Score {
  readonly label: string | null
  readonly value: number | null
}

/** Formats a score as its label, or as its value with four significant digits if not an integer. */
export function formatScore({ label, value }: Score): string {
  if (label !== null || value === null) return label ?? '–'
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(4)))
}

export function formatUsd(usd: number): string {
  return `$${usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`
}

/** Formats a cost from the API. The cost covers only tokens whose price is known. */
export function formatCost(cost: { usd: number; priced_share: number } | null): string {
  if (cost === null) return 'no price'
  const part = cost.priced_share < 1 ? ` for ${formatShare(cost.priced_share)} of the tokens` : ''
  return formatUsd(cost.usd) + part
}
