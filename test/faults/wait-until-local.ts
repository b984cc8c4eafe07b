/** Waits until gateways report that they apply rate limits without Redis. */
import type { Application } from '../support/application.ts'
import { waitUntil } from '../support/wait-until.ts'

/**
 * Waits until every gateway reports the given state in its metrics.
 * @param isLocal true to wait for limits without Redis, false for limits with Redis
 */
export async function waitUntilLocal(
  gateways: readonly Application[],
  isLocal: boolean
): Promise<void> {
  const line = `sluice_rate_limit_local ${isLocal ? 1 : 0}\n`
  const saysSo = async (gateway: Application): Promise<boolean> =>
    (await gateway.metrics()).includes(line)
  const what = isLocal ? 'limits are applied without Redis' : 'limits are applied with Redis again'
  await Promise.all(gateways.map((gateway) => waitUntil(what, () => saysSo(gateway))))
}
