/** Whether gateways apply limits alone, without Redis: proof that they noticed what was broken. */
import type { Application } from '../support/application.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Resolves once every gateway says that it does, or with `isLocal` false that it does not. */
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
