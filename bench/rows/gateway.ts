/** The gateway as it is deployed, one decision a request. */
import { freePort } from '../../stack/ports.ts'
import type { Row } from '../row.ts'

export const gateway: Row = {
  name: 'gateway',
  shape: 'decision',
  accepted: 202,
  topic: 'agent-decisions',
  start: async ({ environment, apiKey, nodeFlags, run }) => {
    const [port, managementPort] = [await freePort(), await freePort()]
    const pid = await run({
      name: 'gateway',
      args: [...nodeFlags, 'gateway/main.ts'],
      environment: {
        ...environment,
        GATEWAY_HOST: '127.0.0.1',
        GATEWAY_PORT: String(port),
        MANAGEMENT_HOST: '127.0.0.1',
        MANAGEMENT_PORT: String(managementPort)
      },
      probe: async () => (await fetch(`http://127.0.0.1:${managementPort}/readyz`)).ok
    })
    return {
      url: `http://127.0.0.1:${port}/v1/ingest`,
      headers: { authorization: `Bearer ${apiKey}` },
      pids: [pid]
    }
  }
}
