/** Runs Postgres in a container. */
import { postgresAnswers } from '../probes.ts'
import type { ContainerContext, ContainerSpec } from './container-spec.ts'
import { IMAGES } from './docker-runtime.ts'

const USER = 'sluice'
const READY_TIMEOUT_MS = 60_000
const STOP_DEADLINE_MS = 10_000
const PORT = 5432

function settings(ephemeral: boolean): string[] {
  const lasting: Record<string, string | number> = {
    max_connections: 200,
    log_min_duration_statement: 2000
  }
  const fleeting = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
  const all = ephemeral ? { ...lasting, ...fleeting } : lasting
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

export async function createPostgresContainer(
  context: ContainerContext,
  password: string
): Promise<{ spec: ContainerSpec; url: string }> {
  const host = await context.portOf('postgres')
  const spec: ContainerSpec = {
    name: 'postgres',
    title: 'Postgres',
    image: IMAGES.postgres,
    environment: {
      POSTGRES_USER: USER,
      POSTGRES_DB: USER,
      POSTGRES_PASSWORD: password,
      POSTGRES_INITDB_ARGS:
        '--encoding=UTF8 --locale-provider=builtin --locale=C --builtin-locale=C.UTF-8'
    },
    command: ['postgres', ...settings(context.ephemeral)],
    ports: [{ container: PORT, host }],
    dataFolder: '/var/lib/postgresql/data',
    probe: async () => await postgresAnswers('127.0.0.1', host),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopDeadlineMs: STOP_DEADLINE_MS
  }
  return { spec, url: `postgres://${USER}:${password}@127.0.0.1:${host}/${USER}` }
}
