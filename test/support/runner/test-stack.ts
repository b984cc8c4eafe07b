/** Starts the services of a test run in a temporary folder, on free ports. */
import { randomUUID } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOf } from '../../../stack/processes/applications.ts'
import { freePort } from '../../../stack/ports.ts'
import { preflight, thisMachine } from '../../../stack/preflight.ts'
import { createProgress } from '../../../stack/progress.ts'
import type { ProgressStep } from '../../../stack/progress.ts'
import { keepSecrets } from '../../../stack/secrets.ts'
import { chooseMode, startServices } from '../../../stack/services.ts'
import type { ServiceProgress, StackServices, StackMode } from '../../../stack/services.ts'
import { runSluice } from '../../../stack/sluice-command.ts'
import { createDatabase, dropDatabase } from '../create-database.ts'
import type { TestServices } from '../test-services.ts'
import { startControlServer } from './control-server.ts'

type TestStackOptions = { folder: string; signal: AbortSignal }

/** Running services and their control server. Several test runs can use the same services. */
export type SharedServices = Pick<TestServices, 'mode' | 'addresses' | 'proxyPort' | 'controlUrl'>

type TestStack = SharedServices & { stop(): Promise<void> }

export async function startTestStack(options: TestStackOptions): Promise<TestStack> {
  const { mode, reason } = await chooseMode(process.env['SLUICE_STACK'])
  preflight(mode, thisMachine(options.folder))
  process.stdout.write(`services: ${mode} (${reason})\n`)
  // Choose the proxy port now, because the broker must advertise it before the proxy starts.
  const proxyPort = mode === 'external' ? null : await freePort()
  const services = await startWithProgress(mode, proxyPort, options)
  const control = await startControlServer(services).catch(async (error: unknown) => {
    await services.stop()
    throw error
  })
  const stop = async (): Promise<void> => {
    await control.close()
    await services.stop()
  }
  return { mode, addresses: services.addresses, proxyPort, controlUrl: control.url, stop }
}

async function startWithProgress(
  mode: StackMode,
  proxyPort: number | null,
  { folder, signal }: TestStackOptions
): Promise<StackServices> {
  // If this process runs as root, Postgres runs as another user and needs access to the folder.
  chmodSync(folder, 0o755)
  const progress = createProgress(process.stdout)
  const steps = new Map<string, ProgressStep>()
  const onProgress = ({ service, state, detail }: ServiceProgress): void => {
    const step = steps.get(service) ?? progress.step(service)
    steps.set(service, step)
    if (state === 'ready') step.done(detail)
    else step.update(`${state} ${detail}`)
  }
  try {
    return await startServices({
      mode,
      folder,
      signal,
      ephemeral: true,
      onProgress,
      onCrash: (crash) => progress.print(crash.message),
      ...(proxyPort === null ? {} : { proxyListener: { advertisedPort: proxyPort } })
    })
  } finally {
    progress.close()
  }
}

/**
 * Creates the secrets and the migrated template database of a run. Resolves with the path of the
 * file that lists the service addresses for the tests.
 */
export async function prepareRun(
  { mode, addresses, proxyPort, controlUrl }: SharedServices,
  folder: string
): Promise<{ path: string; end(): Promise<void> }> {
  const secrets = keepSecrets(join(folder, 'secrets.json'))
  const templateDatabase = `sluice_template_${randomUUID().slice(0, 8)}`
  const databaseUrl = await createDatabase(addresses.databaseUrl, templateDatabase)
  const environment = environmentOf({ ...addresses, databaseUrl }, secrets)
  await runSluice({ args: ['migrate'], environment })
  const path = join(folder, 'services.json')
  const content: TestServices = {
    ...{ mode, addresses, proxyPort, controlUrl },
    ...{ secrets, templateDatabase }
  }
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 })
  return { path, end: () => dropDatabase(addresses.databaseUrl, templateDatabase) }
}
