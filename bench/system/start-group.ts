/** A process of a consumer group, as it is deployed. */
import { freePort } from '../../stack/ports.ts'
import type { Bench } from '../row.ts'

export interface GroupSettings {
  readonly role: 'storage' | 'evaluation'
  /** Of the process, where there are several of the role. */
  readonly name?: string
  /** Settings that differ from those of a deployment. */
  readonly environment?: Readonly<Record<string, string>>
  readonly nodeFlags?: readonly string[]
}

/** @returns its process id, once it belongs to its group. */
export async function startGroup(bench: Bench, settings: GroupSettings): Promise<number> {
  const { role, name = role, environment, nodeFlags = [] } = settings
  const port = await freePort()
  return await bench.run({
    name,
    args: [...nodeFlags, 'consumers/main.ts', role],
    environment: {
      ...bench.environment,
      ...environment,
      ...{ MANAGEMENT_HOST: '127.0.0.1', MANAGEMENT_PORT: String(port) }
    },
    probe: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  })
}
