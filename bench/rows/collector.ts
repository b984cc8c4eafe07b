/** The OpenTelemetry Collector: OTLP logs over HTTP to Kafka, answered after the acknowledgement.
 *
 * It validates nothing and writes no key. It keeps its defaults but for what makes the rows equal:
 * all replicas acknowledge, no queue answers before them, and every log record becomes a record.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../stack/ports.ts'
import type { ShapeName } from '../load/shapes.ts'
import { buildCollector } from '../collector/build-collector.ts'
import type { Bench, NotRun, Row, Target } from '../row.ts'

const topic = 'bench-collector'

/** Protobuf is what SDKs send by default; JSON is what the gateway itself is sent. */
export const collector = createCollectorRow('collector', 'otlp')
export const collectorJson = createCollectorRow('collector-json', 'otlp-json')
export const collectorBatch = createCollectorRow('collector-batch', 'otlp-batch')
export const collectorBatchJson = createCollectorRow('collector-batch-json', 'otlp-batch-json')

function createCollectorRow(name: string, shape: ShapeName): Row {
  return {
    name,
    shape,
    accepted: 200,
    topic,
    drives: ['full speed', 'equal rate', 'half load'],
    start: (bench) => startCollector(bench, name)
  }
}

async function startCollector(bench: Bench, name: string): Promise<Target | NotRun> {
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

/** YAML is also written as JSON. */
export function configurationOf(port: number, brokers: readonly string[]) {
  // The pauses between its turns are longer than its own minute.
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
