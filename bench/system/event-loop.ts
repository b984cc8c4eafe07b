/** Reads the event loop lag of a Sluice process from its metrics. */

const timeoutMs = 2000

/** Quantile of the lag. `1` is the maximum. */
type LagQuantile = '0.99' | '1'

/**
 * Returns the lag in milliseconds, or NaN if the metric is missing. If there are several workers,
 * returns the highest lag.
 */
export async function readEventLoopLag(
  managementUrl: string,
  quantile: LagQuantile
): Promise<number> {
  const signal = AbortSignal.timeout(timeoutMs)
  const answer = await fetch(`${managementUrl}/metrics`, { signal })
  return eventLoopLagIn(await answer.text(), quantile)
}

export function eventLoopLagIn(metrics: string, quantile: LagQuantile): number {
  const name = `sluice_event_loop_lag_seconds\\{[^}]*quantile="${quantile}"[^}]*\\}`
  const seconds = [...metrics.matchAll(new RegExp(`^${name} ([\\d.e+-]+)$`, 'gm'))]
  return seconds.length === 0
    ? Number.NaN
    : 1000 * Math.max(...seconds.map(([, value]) => Number(value)))
}
