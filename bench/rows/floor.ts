/** Row `floor`: a node:http server that reads and discards the body. */
import { freePort } from '../../stack/ports.ts'
import { driveNames } from '../row.ts'
import type { BenchRow } from '../row.ts'

export const floor: BenchRow = {
  name: 'floor',
  shape: 'decision',
  accepted: 202,
  topic: null,
  drives: driveNames.filter((name) => name !== 'half load'),
  start: async ({ environment, run }) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/v1/ingest`
    const pid = await run({
      name: 'floor',
      args: ['bench/rows/floor-server.ts', String(port)],
      environment,
      probe: async () => (await fetch(url, { method: 'POST', body: '{}' })).ok
    })
    return { url, headers: {}, pids: [pid] }
  }
}
