/** How late the event loop of one of our programs runs, by its own metrics. */

const timeoutMs = 2000

/** `1` is the longest pause. */
export type LagQuantile = '0.99' | '1'

/** Milliseconds; of several processes the latest; NaN when it says nothing about it. */
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
