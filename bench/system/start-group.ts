/** Starts a storage or evaluation process as in a deployment. */
import { freePort } from '../../stack/ports.ts'
import type { Bench } from '../row.ts'

export interface GroupSettings {
  readonly role: 'storage' | 'evaluation'
  /** Process name. Required if several processes have the same role. */
  readonly name?: string
  /** Settings that differ from the defaults. */
  readonly environment?: Readonly<Record<string, string>>
  readonly nodeFlags?: readonly string[]
}

/**
 * Starts the process and waits until it has joined its consumer groups.
 * @returns its pid
 */
export async function startGroup(bench: Bench, settings: GroupSettings): Promise<number> {
  const { role, name = role, environment, nodeFlags = [] } = settings
  const port = await freePort()
  return await bench.run({
    name,
    args: [...nodeFlags, 'consumers/main.ts', role],
    environment: {
      ...bench.environment,
      ...environment,
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(port)
    },
    probe: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  })
}
