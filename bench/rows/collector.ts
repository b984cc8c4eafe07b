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

const topic = 'bench-collector'

/** Receives protobuf, the default of OpenTelemetry SDKs. The gateway receives JSON. */
export const collector = createCollectorRow('collector', 'otlp')
export const collectorJson = createCollectorRow('collector-json', 'otlp-json')
export const collectorBatch = createCollectorRow('collector-batch', 'otlp-batch')
export const collectorBatchJson = createCollectorRow('collector-batch-json', 'otlp-batch-json')

function createCollectorRow(name: string, shape: ShapeName): BenchRow {
  return {
    name,
    shape,
    accepted: 200,
    topic,
    drives: driveNames,
    start: (bench) => startCollector(bench, name)
  }
}

async function startCollector(bench: Bench, name: string): Promise<BenchTarget | NotRun> {
  const built = await buildCollector(bench)
  if ('notRun' in built) return built
  await bench.applyTopic(topic)
  const port = await freePort()
  const brokers = (bench.environment['KAFKA_BROKERS'] ?? '').split(',')
  const file = join(bench.folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(configurationOf(port, brokers)))
  const url = `http://127.0.0.1:${port}/v1/logs`
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
export function configurationOf(port: number, brokers: readonly string[]) {
  // Pauses between measurements exceed the default idle timeout of one minute.
  const http = { endpoint: `127.0.0.1:${port}`, idle_timeout: '300s' }
  const kafka = {
    brokers,
    logs: { topic, encoding: 'raw' },
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
      pipelines: { logs: { receivers: ['otlp'], exporters: ['kafka'] } }
    }
  }
}
