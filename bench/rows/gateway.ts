/** Rows of the gateway: single decisions, batches, and several workers. */
import { topicDefinitions } from '../../schemas/index.ts'
import { freePort } from '../../stack/ports.ts'
import { driveNames } from '../row.ts'
import type { Bench, BenchRow, BenchTarget } from '../row.ts'

interface GatewaySettings extends Partial<Pick<BenchRow, 'accepted'>> {
  readonly name: string
  /** Path of the target's `url`. */
  readonly path: string
  /** Settings that differ from the defaults. */
  readonly environment?: Readonly<Record<string, string>>
}

export const decisionsTopic =
  topicDefinitions.find(({ role }) => role === 'decisions')?.name ?? 'agent-decisions'

export const gateway = createGatewayRow({
  name: 'gateway',
  shape: 'decision',
  path: '/v1/ingest'
})

export const gatewayBatch = createGatewayRow({
  name: 'gateway-batch',
  shape: 'batch',
  path: '/v1/ingest/batch'
})

export const gatewayNdjson = createGatewayRow({
  name: 'gateway-ndjson',
  shape: 'ndjson',
  path: '/v1/ingest/batch'
})

/** Receives the decisions of a batch as OpenTelemetry spans in protobuf. */
export const gatewayTraces = createGatewayRow({
  name: 'gateway-traces',
  shape: 'otlp-spans',
  path: '/v1/traces',
  accepted: 200
})

export const gatewayWorkers: BenchRow = {
  ...createGatewayRow({
    name: 'gateway-2-workers',
    shape: 'decision',
    path: '/v1/ingest',
    environment: { GATEWAY_WORKERS: '2' }
  }),
  drives: ['full speed', 'equal rate', 'half load']
}

export function createGatewayRow(settings: GatewaySettings & Pick<BenchRow, 'shape'>): BenchRow {
  const { name, shape, accepted = 202 } = settings
  return {
    name,
    shape,
    accepted,
    topic: decisionsTopic,
    drives: driveNames,
    start: (bench) => startGateway(bench, settings)
  }
}

export async function startGateway(bench: Bench, settings: GatewaySettings): Promise<BenchTarget> {
  const { environment, apiKey, nodeFlags, run } = bench
  const [port, managementPort] = [await freePort(), await freePort()]
  const managementUrl = `http://127.0.0.1:${managementPort}`
  const pid = await run({
    name: settings.name,
    args: [...nodeFlags, 'gateway/main.ts'],
    environment: {
      ...environment,
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(managementPort),
      ...settings.environment
    },
    probe: async () => (await fetch(`${managementUrl}/readyz`)).ok
  })
  return {
    url: `http://127.0.0.1:${port}${settings.path}`,
    headers: { authorization: `Bearer ${apiKey}` },
    pids: [pid],
    managementUrl
  }
}
