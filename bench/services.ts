/** The real services for a benchmark, with topics, tables and an organization without a limit. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKafkaAdmin } from '../platform/kafka-admin.ts'
import { createKafkaClient } from '../platform/kafka-client.ts'
import { createLogger } from '../platform/logger.ts'
import { environmentOf } from '../stack/applications.ts'
import { parseBootstrap } from '../stack/credentials.ts'
import { preflight, thisMachine } from '../stack/preflight.ts'
import { keepSecrets } from '../stack/secrets.ts'
import { chooseMode, startServices } from '../stack/services.ts'
import { runSluice } from '../stack/sluice-command.ts'
import type { Bench } from './row.ts'

export interface BenchServices extends Bench {
  /** Records in the decisions topic now. */
  countRecords(): Promise<number>
  stop(): Promise<void>
}

const topic = 'agent-decisions'
const rateLimit = '1000000000'

export async function startBenchServices(
  say: (line: string) => void,
  signal: AbortSignal
): Promise<BenchServices> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const { mode, reason } = await chooseMode(process.env['SLUICE_STACK'])
  say(`services: ${mode}${reason === undefined ? '' : ` (${reason})`}`)
  preflight(mode, thisMachine(folder))
  const services = await startServices({
    mode,
    folder,
    ephemeral: true,
    signal,
    onProgress: ({ service, state }) => (state === 'ready' ? say(`${service} is ready`) : undefined)
  })
  const secrets = keepSecrets(join(folder, 'secrets.json'))
  const environment = {
    ...environmentOf(services.addresses, secrets),
    LOG_LEVEL: 'warn'
  }
  const sluice = (...args: string[]): Promise<string> => runSluice({ args, environment, signal })
  await Promise.all([sluice('migrate'), sluice('topics', 'apply'), sluice('schemas', 'register')])
  const login = ['--organization', 'Bench', '--email', 'bench@sluice.local', '--password', 'bench']
  const said = await sluice('bootstrap', ...login, '--rate-limit', rateLimit, '--json')

  return {
    environment,
    apiKey: parseBootstrap(said).api_key,
    countRecords: () => countRecords(services.addresses.kafkaBrokers.split(',')),
    stop: async () => {
      await services.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

async function countRecords(brokers: readonly string[]): Promise<number> {
  const logger = createLogger({ level: 'error', process: 'bench' })
  const admin = createKafkaAdmin(createKafkaClient({ brokers, clientId: 'bench', logger }).admin())
  await admin.connect()
  try {
    const partitions = await admin.readGroupProgress('bench', topic)
    return partitions.reduce((sum, { committed, end }) => sum + Number(end - committed), 0)
  } finally {
    await admin.close()
  }
}
