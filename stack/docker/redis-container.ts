/** Runs Redis in a container. */
import { redisAnswers } from '../probes.ts'
import type { ContainerContext, ContainerSpec } from './container-spec.ts'
import { IMAGES } from './docker-runtime.ts'

const READY_TIMEOUT_MS = 30_000
const STOP_DEADLINE_MS = 5_000
const PORT = 6379

export async function createRedisContainer(
  context: ContainerContext,
  password: string
): Promise<{ spec: ContainerSpec; url: string }> {
  const host = await context.portOf('redis')
  const spec: ContainerSpec = {
    name: 'redis',
    title: 'Redis',
    image: IMAGES.redis,
    command: [
      'redis-server',
      '--requirepass',
      password,
      '--save',
      ...(context.ephemeral ? [''] : ['60', '1'])
    ],
    ports: [{ container: PORT, host }],
    dataFolder: '/data',
    probe: async () => await redisAnswers('127.0.0.1', host, password),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopDeadlineMs: STOP_DEADLINE_MS
  }
  return { spec, url: `redis://:${password}@127.0.0.1:${host}` }
}
