/** How late the event loop of one of our programs runs, by its own metrics. */

const metric = /^sluice_event_loop_lag_seconds\{[^}]*quantile="0\.99"[^}]*\} ([\d.e+-]+)$/gm
const timeoutMs = 2000

/** Of several processes the latest; NaN when it says nothing about it. */
export async function readEventLoopP99(managementUrl: string): Promise<number> {
  const signal = AbortSignal.timeout(timeoutMs)
  const answer = await fetch(`${managementUrl}/metrics`, { signal })
  return eventLoopP99In(await answer.text())
}

export function eventLoopP99In(metrics: string): number {
  const seconds = [...metrics.matchAll(metric)].map(([, value]) => Number(value))
  return seconds.length === 0 ? Number.NaN : Math.max(...seconds) * 1000
}
