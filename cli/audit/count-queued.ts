/** Queries Prometheus for the number of decisions that gateways queued. */
import { createHttpJson } from '../../platform/http-client/http-json.ts'
import type { AuditReport, PrometheusComparison } from './audit-report.ts'

interface Answer {
  readonly status?: string
  readonly error?: string
  readonly data?: { readonly result?: readonly { readonly value?: readonly [number, string] }[] }
}

const timeoutMs = 10_000

/**
 * Returns the number of decisions queued in the window, as Prometheus extrapolates it from its
 * samples, rounded to a whole number. Returns null if there are no samples.
 * @throws if Prometheus does not return a result
 */
export async function countQueued(
  url: string,
  window: { readonly from: number; readonly to: number }
): Promise<number | null> {
  const seconds = Math.max(1, Math.round((window.to - window.from) / 1000))
  const query = `sum(increase(sluice_ingest_outcomes_total{outcome="queued"}[${seconds}s]))`
  const parameters = new URLSearchParams({ query, time: String(window.to / 1000) })
  const http = createHttpJson({ url, ca: null, timeoutMs })
  const { status, body } = await http.send('GET', `/api/v1/query?${parameters.toString()}`)
  const answer = (body ?? {}) as Answer
  if (status !== 200 || answer.status !== 'success') {
    throw new Error(`Prometheus answered ${status}: ${answer.error ?? 'unexpected response'}`)
  }
  return valueOf(answer)
}

/** Returns null if the result is empty (no such series) or NaN (no samples). */
function valueOf({ data }: Answer): number | null {
  const value = Number(data?.result?.[0]?.value?.[1])
  return Number.isNaN(value) ? null : Math.round(value)
}

export function compare({ offsets }: AuditReport, queued: number | null): PrometheusComparison {
  return { queued, difference: queued === null ? null : offsets - queued }
}
