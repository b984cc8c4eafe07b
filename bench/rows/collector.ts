/** Rows of the OpenTelemetry Collector, which receives OTLP logs over HTTP, writes them to Kafka
 * and responds after Kafka's acknowledgement.
 *
 * The Collector validates nothing and sets no record key. It uses default settings except where the
 * rows would not be comparable: all replicas acknowledge, there is no queue, and each log record
 * becomes a Kafka record.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../stack/ports.ts'
import type { ShapeName } from '../load/shapes.ts'
import { buildCollector } from '../collector/build-collector.ts'
import { driveNames } from '../row.ts'
import type { Bench, NotRun, BenchRow, BenchTarget } from '../row.ts'

const topics = { logs: 'bench-collector', traces: 'bench-collector-traces' } as const
type Signal = keyof typeof topics

/** Receives protobuf, the default of OpenTelemetry SDKs. The gateway receives JSON. */
export const collector = createCollectorRow('collector', 'otlp')
export const collectorJson = createCollectorRow('collector-json', 'otlp-json')
export const collectorBatch = createCollectorRow('collector-batch', 'otlp-batch')
export const collectorBatchJson = createCollectorRow('collector-batch-json', 'otlp-batch-json')

/**
 * Receives spans. Its records are not counted, because it writes all spans of a request to one
 * record.
 */
export const collectorTraces: BenchRow = {
  ...createCollectorRow('collector-traces', 'otlp-spans', 'traces'),
  topic: null
}

function createCollectorRow(name: string, shape: ShapeName, signal: Signal = 'logs'): BenchRow {
  return {
    name,
    shape,
    accepted: 200,
    topic: topics[signal],
    drives: driveNames,
    start: (bench) => startCollector(bench, name, signal)
  }
}

async function startCollector(
  bench: Bench,
  name: string,
  signal: Signal
): Promise<BenchTarget | NotRun> {
  const built = await buildCollector(bench)
  if ('notRun' in built) return built
  await bench.applyTopic(topics[signal])
  const port = await freePort()
  const brokers = (bench.environment['KAFKA_BROKERS'] ?? '').split(',')
  const file = join(bench.folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(configurationOf(port, brokers, signal)))
  const url = `http://127.0.0.1:${port}/v1/${signal}`
  const pid = await bench.run({
    name,
    command: built.file,
    args: [`--config=${file}`],
    environment: bench.environment,
    probe: async () => (await fetch(url, emptyRequest)).ok
  })
  return { url, headers: {}, pids: [pid] }
}

const emptyRequest = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{}'
}

/** Returns the Collector's configuration. It is saved as JSON, which is valid YAML. */
export function configurationOf(port: number, brokers: readonly string[], signal: Signal) {
  // Pauses between measurements exceed the default idle timeout of one minute.
  const http = { endpoint: `127.0.0.1:${port}`, idle_timeout: '300s' }
  const kafka = {
    brokers,
    logs: { topic: topics.logs, encoding: 'raw' },
    traces: { topic: topics.traces, encoding: 'otlp_proto' },
    sending_queue: { enabled: false },
    retry_on_failure: { enabled: false },
    timeout: '10s',
    producer: { required_acks: 'all', allow_auto_topic_creation: false }
  }
  return {
    receivers: { otlp: { protocols: { http } } },
    exporters: { kafka },
    service: {
      telemetry: { logs: { level: 'warn' }, metrics: { level: 'none' } },
      pipelines: { [signal]: { receivers: ['otlp'], exporters: ['kafka'] } }
    }
  }
}
