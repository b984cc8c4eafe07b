/** Creates a Sluice installation for a test file: topics, consumer groups, database and tenants. */
import { randomUUID } from 'node:crypto'
import { applyTopics } from '../../cli/commands/apply-topics.ts'
import { bootstrap } from '../../cli/commands/bootstrap.ts'
import { registerSchemas } from '../../cli/commands/register-schemas.ts'
import type { ApiKeyScope } from '../../core/ids/api-key.ts'
import { createApiClient } from '../../stack/tour/api-client.ts'
import type { ApiClient } from '../../stack/tour/api-client.ts'
import { environmentOf } from '../../stack/processes/applications.ts'
import { parseBootstrap } from '../../stack/tour/credentials.ts'
import { runSluice } from '../../stack/sluice-command.ts'
import { deadLetterTopicOf } from '../../schemas/index.ts'
import { startApplication } from './application.ts'
import type { Application, ApplicationName } from './application.ts'
import { createTestDatabase } from './database.ts'
import type { TestDatabase } from './database.ts'
import { deleteOnEnd, uniqueName } from './kafka.ts'
import { services } from './services.ts'
import { evaluationsGroupOf } from '../../platform/kafka/storage-groups.ts'

export type Tenant = {
  readonly organization_id: string
  readonly api_key: string
  readonly email: string
  readonly password: string
}

export type Installation = {
  /** Environment variables for the applications. */
  readonly environment: NodeJS.ProcessEnv
  readonly topics: {
    readonly decisions: string
    readonly evaluations: string
    readonly decisionsDeadLetter: string
    readonly evaluationsDeadLetter: string
  }
  readonly groups: Readonly<Record<'storage' | 'storageOfEvaluations' | 'evaluation', string>>
  readonly database: TestDatabase
  /** Runs a `sluice` command and resolves with its output. */
  sluice(...args: string[]): Promise<string>
  /** Creates an organization with a user and an API key. */
  createTenant(options?: TenantOptions): Promise<Tenant>
  /** Starts an application. `overrides` replace environment variables. */
  start(name: ApplicationName, overrides?: NodeJS.ProcessEnv): Promise<Application>
}

type TenantOptions = {
  /** Maximum number of decisions per window. Default: the gateway's default. */
  rateLimit?: number
  scopes?: readonly ApiKeyScope[]
}

/** Default scopes of a tenant's API key. */
const scopesDefault: readonly ApiKeyScope[] = ['ingest', 'evaluation:read']

/**
 * Creates an installation. Topics and schemas are created in this process, without running `sluice`
 * commands.
 */
export async function createInstallation(
  given?: Pick<Installation, 'database'>
): Promise<Installation> {
  const { addresses, secrets } = services()
  const database = given?.database ?? (await createTestDatabase())
  const decisions = uniqueName('decisions')
  const evaluations = uniqueName('evaluations')
  const topics = {
    decisions,
    evaluations,
    decisionsDeadLetter: deadLetterTopicOf(decisions),
    evaluationsDeadLetter: deadLetterTopicOf(evaluations)
  }
  const storage = uniqueName('storage')
  const groups = {
    storage,
    storageOfEvaluations: evaluationsGroupOf(storage),
    evaluation: uniqueName('evaluation')
  }
  const environment: NodeJS.ProcessEnv = {
    ...environmentOf({ ...addresses, databaseUrl: database.url }, secrets),
    DECISIONS_TOPIC: topics.decisions,
    EVALUATIONS_TOPIC: topics.evaluations,
    STORAGE_GROUP_ID: groups.storage,
    EVALUATION_GROUP_ID: groups.evaluation
  }
  const sluice = (...args: string[]): Promise<string> => runSluice({ args, environment })
  deleteOnEnd(Object.values(topics))
  const write = (): void => {}
  await Promise.all([
    applyTopics(environment, { replicationFactor: 1, write }),
    registerSchemas(environment, write)
  ])

  return {
    environment,
    topics,
    groups,
    database,
    sluice,
    createTenant: (options = {}) => createTenant(environment, options),
    start: (name, overrides = {}) =>
      startApplication(name, { environment: { ...environment, ...overrides } })
  }
}

async function createTenant(
  environment: NodeJS.ProcessEnv,
  { rateLimit, scopes = scopesDefault }: TenantOptions
): Promise<Tenant> {
  const email = `${randomUUID()}@example.org`
  const password = randomUUID()
  const said: string[] = []
  const options = {
    ...{ organization: `Tenant ${email.slice(0, 8)}`, email, password, scopes },
    ...{ keyEnv: 'local', json: true, ...(rateLimit !== undefined && { rateLimit }) }
  }
  await bootstrap(environment, options, (line) => void said.push(line))
  return { ...parseBootstrap(said.join('\n')), email, password }
}

export type Client = ApiClient & {
  /**
   * Posts a decision and returns its id.
   * @throws if the status is not 202
   */
  accept(body: Record<string, unknown>): Promise<string>
  /** Sends a GET request with a session, which the first call creates. */
  get(path: string): Promise<{ status: number; body: Record<string, unknown> }>
}

export function clientOf(gateway: Application, tenant: Tenant): Client {
  const api = createApiClient(gateway.url)
  let session: Promise<string> | undefined

  async function logIn(): Promise<string> {
    const { status, body } = await api.login(tenant.email, tenant.password)
    if (status !== 200) throw new Error(`login got status ${status}: ${JSON.stringify(body)}`)
    return String(body['access_token'])
  }

  return {
    ...api,
    accept: async (decision) => {
      const { status, body } = await api.ingest(tenant.api_key, decision)
      if (status !== 202) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
      return String(body['decision_id'])
    },
    get: async (path) => {
      session ??= logIn()
      return await api.read(await session, path)
    }
  }
}
