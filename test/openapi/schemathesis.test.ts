/** Tests the OpenAPI document against a gateway with Schemathesis.
 *
 * Runs only on request (`npm test -- openapi`), because it needs Python and installs Schemathesis
 * once. Every response must be documented: its status, headers, media type and schema.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { clientOf, createInstallation } from '../support/installation.ts'
import { findPythonEnvironment } from '../support/python-environment.ts'

const wanted = 'schemathesis==4.32.5'
const seed = '1'
const timeoutMs = 9 * 60_000

async function findSchemathesis(): Promise<string> {
  const bin = await findPythonEnvironment('schemathesis', wanted)
  if (bin === null) throw new Error('Schemathesis cannot be installed')
  return join(bin, 'schemathesis')
}

/** Resolves with the exit code. The report goes to the output of this test. */
function runToEnd(program: string, args: string[]): Promise<number | null> {
  const env = { ...process.env, SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: import.meta.dirname }
  const stdio = ['ignore', 'inherit', 'inherit'] as const
  const child = spawn(program, args, { cwd: import.meta.dirname, env, stdio: [...stdio] })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
}

interface Asking {
  readonly url: string
  /** An API key or an access token. */
  readonly credential: string
  /** A regular expression for the paths. */
  readonly paths: string
  /** Operations to leave out. */
  readonly without?: readonly string[]
  readonly phases: string
  readonly examples: string
}

async function ask({ url, credential, paths, without = [], phases, examples }: Asking) {
  return await runToEnd(await findSchemathesis(), [
    ...['--config-file', join(import.meta.dirname, 'schemathesis.toml')],
    ...['run', `${url}/openapi.json`],
    ...['--header', `Authorization: Bearer ${credential}`],
    ...['--include-path-regex', paths],
    ...without.flatMap((name) => ['--exclude-operation-id', name]),
    ...['--phases', phases, '--max-examples', examples],
    ...['--seed', seed, '--generation-database', 'none', '--no-color']
  ])
}

/**
 * Starts a gateway that serves its OpenAPI document, with a tenant that never reaches its rate
 * limit.
 */
async function startDocumented() {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  const [gateway] = await Promise.all([
    sluice.start('gateway', { DOCS_ENABLED: 'true' }),
    sluice.start('storage')
  ])
  return { gateway, tenant }
}

test(
  'every response of the ingest routes is documented',
  async () => {
    const { gateway, tenant } = await startDocumented()
    const code = await ask({
      ...{ url: gateway.url, credential: tenant.api_key, paths: '^/v1/ingest(/|$)' },
      ...{ phases: 'examples,coverage,fuzzing', examples: '25' }
    })
    expect(code).toBe(0)
  },
  timeoutMs
)

/** Operations that end the caller's session, or whose response never ends. */
const apart = ['logout', 'endSession', 'tailDecisions']

test(
  'every response of the API routes is documented',
  async () => {
    const { gateway, tenant } = await startDocumented()
    const client = clientOf(gateway, tenant)
    const { body } = await client.login(tenant.email, tenant.password)
    const code = await ask({
      ...{ url: gateway.url, credential: String(body['access_token']) },
      ...{ paths: '^/v1/(?!ingest(/|$))', without: apart },
      ...{ phases: 'examples,coverage,fuzzing', examples: '5' }
    })
    expect(code).toBe(0)
  },
  timeoutMs
)
