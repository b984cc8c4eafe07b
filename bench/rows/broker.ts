/** Row `broker`: writes decisions to Kafka in batches, as the gateway would. */
import { readConfig } from '../../platform/config/config.ts'
import { startLoad } from '../load/load-process.ts'
import type { LoadOrder, LoadReport } from '../load/load.ts'
import type { BenchRow } from '../row.ts'
import { gateway } from './gateway.ts'

const topic = 'bench-broker'
/** Default linger time of the gateway in milliseconds. */
export const { PRODUCE_LINGER_MS: lingerMs } = readConfig({}, ['PRODUCE_LINGER_MS'])

/** Measures the latency of produce requests alone, at the rate of the gateway's half load. */
export const broker: BenchRow = {
  name: 'broker',
  shape: 'decision',
  accepted: 202,
  topic,
  drives: ['half load'],
  halfOf: gateway.name,
  start: async ({ environment, signal, applyTopic, onStop }) => {
    await applyTopic(topic)
    const args = [topic, String(lingerMs)]
    const load = startLoad<LoadOrder, LoadReport>('load/produce-load.ts', {
      environment,
      signal,
      args
    })
    onStop(() => load.stop())
    return { url: 'http://127.0.0.1', headers: {}, pids: [load.pid], load }
  }
}
