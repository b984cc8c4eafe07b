/** The broker without a gateway: packs as the gateway makes them, written straight to it. */
import { readConfig } from '../../platform/config/config.ts'
import { startLoad } from '../load/load-process.ts'
import type { LoadOrder, LoadReport } from '../load/load.ts'
import type { Row } from '../row.ts'
import { gateway } from './gateway.ts'

const topic = 'bench-broker'
/** As long as a gateway with its default settings waits. */
export const { PRODUCE_LINGER_MS: lingerMs } = readConfig({}, ['PRODUCE_LINGER_MS'])

/** What a produce request takes by itself, at the very rate of the gateway's half load. */
export const broker: Row = {
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
