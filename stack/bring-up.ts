/** Starts the whole stack step by step, and registers a function that stops each part. */
import { join } from 'node:path'
import { buildConsole } from './build-console.ts'
import { startApplications } from './processes/applications.ts'
import { APPLICATION_NAMES, environmentOf } from './processes/applications.ts'
import type { Applications } from './processes/applications.ts'
import { createApiClient } from './tour/api-client.ts'
import type { ApiClient } from './tour/api-client.ts'
import { obtainCredentials } from './tour/credentials.ts'
import type { Credentials } from './tour/credentials.ts'
import { readLocalFile, writeLocalFile } from './local-file.ts'
import type { LocalFile } from './local-file.ts'
import { chooseApplicationPorts } from './processes/application-ports.ts'
import type { ServiceCrash } from './processes/process.ts'
import type { StartProgress, ProgressStep } from './progress.ts'
import { keepSecrets } from './secrets.ts'
import type { Secrets } from './secrets.ts'
import { SERVICE_NAMES } from './service.ts'
import type {
  Addresses,
  ServiceName,
  ServiceProgress,
  StackServices,
  StackMode
} from './service.ts'
import { startServices } from './services.ts'
import { changesIn, runSluice } from './sluice-command.ts'

/**
 * Preferred ports. They differ from the default ports of these services, which other software may
 * use.
 */
const PREFERRED_PORTS = { kafka: 19092, registry: 18081, redis: 16379, postgres: 15432 }

const SERVICE_TITLES: Record<ServiceName, string> = {
  kafka: 'Kafka',
  registry: 'Schema registry',
  redis: 'Redis',
  postgres: 'Postgres'
}

type BringUp = {
  folder: string
  mode: StackMode
  progress: StartProgress
  signal: AbortSignal
  onCrash: (crash: ServiceCrash) => void
  onRevived: (name: string) => void
  /**
   * Called after the services have started, and again after the applications have started. `stop`
   * stops the part that has just started.
   */
  onStarted: (title: string, stop: () => Promise<void>) => void
}

export type Stack = { local: LocalFile; api: ApiClient; refreshPids: () => void }

/** Runs one step and shows its progress. */
async function runStep<T>(
  progress: StartProgress,
  title: string,
  work: (step: ProgressStep) => Promise<T>
): Promise<T> {
  const step = progress.step(title)
  try {
    const result = await work(step)
    step.done()
    return result
  } catch (error) {
    step.fail()
    throw error
  }
}

async function bringUpServices(options: BringUp): Promise<StackServices> {
  const { progress } = options
  const steps = new Map<ServiceName, ProgressStep>()
  for (const name of SERVICE_NAMES) steps.set(name, progress.step(SERVICE_TITLES[name]))
  const services = await startServices({
    ...options,
    keepAlive: true,
    preferredPorts: PREFERRED_PORTS,
    onProgress: ({ service, state, detail }: ServiceProgress) => {
      const step = steps.get(service)
      if (state === 'ready') step?.done(detail)
      else step?.update(state === 'downloading' ? `downloading ${detail}` : detail)
    }
  })
  options.onStarted('Services', services.stop)
  return services
}

/** Creates tables, topics and schemas with the same commands as a deployment. */
async function prepare(options: BringUp, environment: NodeJS.ProcessEnv): Promise<void> {
  const { progress, signal } = options
  const command = (title: string, args: string[]): Promise<void> =>
    runStep(progress, title, async (step) => {
      step.update(changesIn(await runSluice({ args, environment, signal })))
    })
  await Promise.all([
    command('Tables', ['migrate']),
    command('Topics', ['topics', 'apply', '--replication-factor', '1']),
    command('Schemas', ['schemas', 'register'])
  ])
}

/** Builds the console before the gateway starts, which reads it into memory. */
async function prepareConsole(progress: StartProgress): Promise<void> {
  await runStep(progress, 'Console', async (step) => {
    step.update((await buildConsole()) ? 'built' : 'unchanged')
  })
}

async function bringUpApplications(
  options: BringUp,
  addresses: Addresses,
  secrets: Secrets
): Promise<Applications> {
  const { progress } = options
  const { ports, notes } = await chooseApplicationPorts(process.env)
  for (const note of notes) progress.print(`    ${note}`)
  const titles = { gateway: 'Gateway', storage: 'Storage', evaluation: 'Evaluation' }
  const steps = APPLICATION_NAMES.map((name) => [name, progress.step(titles[name])] as const)
  const applications = await startApplications({
    ...options,
    keepAlive: true,
    addresses,
    secrets,
    ports,
    onRetry: (crash) => {
      progress.print(`    ${crash.service} exited before it was ready; restarting`)
    },
    onReady: (ready) => {
      const detail = ready === 'gateway' ? `http://127.0.0.1:${ports.gateway}` : 'consuming'
      steps.find(([name]) => name === ready)?.[1].done(detail)
    }
  })
  options.onStarted('Applications', applications.stop)
  return applications
}

function localFileOf(
  services: StackServices,
  applications: Applications,
  credentials: Credentials
): LocalFile {
  const { addresses } = services
  return {
    base_url: applications.baseUrl,
    management_url: applications.managementUrl('gateway'),
    storage_management_url: applications.managementUrl('storage'),
    evaluation_management_url: applications.managementUrl('evaluation'),
    docs_url: `${applications.baseUrl}/docs`,
    console_url: `${applications.baseUrl}/console/`,
    api_key: credentials.api_key,
    email: credentials.email,
    password: credentials.password,
    organization_id: credentials.organization_id,
    kafka_brokers: addresses.kafkaBrokers,
    schema_registry_url: addresses.schemaRegistryUrl,
    redis_url: addresses.redisUrl,
    database_url: addresses.databaseUrl,
    pids: { ...applications.pids(), ...services.pids() }
  }
}

export async function bringUp(options: BringUp): Promise<Stack> {
  const { folder, progress, signal } = options
  const services = await bringUpServices(options)
  const secrets = keepSecrets(join(folder, 'secrets.json'))
  const environment = environmentOf(services.addresses, secrets)
  await Promise.all([prepare(options, environment), prepareConsole(progress)])
  const applications = await bringUpApplications(options, services.addresses, secrets)
  const api = createApiClient(applications.baseUrl, signal)
  const localPath = join(folder, 'local.json')
  const credentials = await runStep(progress, 'User and API key', async (step) => {
    const obtained = await obtainCredentials({
      api,
      kept: readLocalFile(localPath),
      password: secrets.LOGIN_PASSWORD,
      sluice: async (args) => await runSluice({ args, environment, signal })
    })
    step.update(obtained.isNew ? 'created' : 'unchanged')
    return obtained
  })
  const write = (): LocalFile => {
    const local = localFileOf(services, applications, credentials)
    writeLocalFile(localPath, local)
    return local
  }
  return { local: write(), api, refreshPids: () => void write() }
}
