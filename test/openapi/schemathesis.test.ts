/** What the document promises, held against a gateway by Schemathesis.
 *
 * Runs only when asked (`npm test -- openapi`): it needs Python, and installs Schemathesis for
 * itself once. Every answer must be documented: its status, headers, type and form.
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
  if (bin === null) throw new Error('Schemathesis was asked for, and cannot be installed')
  return join(bin, 'schemathesis')
}

/** Resolves with the exit code; its report goes where ours goes. */
function runToEnd(program: string, args: string[]): Promise<number | null> {
  const env = { ...process.env, SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: import.meta.dirname }
  const stdio = ['ignore', 'inherit', 'inherit'] as const
  const child = spawn(program, args, { cwd: import.meta.dirname, env, stdio: [...stdio] })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
}

interface Asking {
  readonly url: string
  /** A key or an access token. */
  readonly credential: string
  /** Regular expression of the paths. */
  readonly paths: string
  /** Operations that are left out. */
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

/** An installation that shows its document, with a tenant whose limit is in nobody's way. */
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
  'every answer of the ingest routes is one that the document tells of',
  async () => {
    const { gateway, tenant } = await startDocumented()
    const code = await ask({
      ...{ url: gateway.url, credential: tenant.api_key, paths: '^/v1/ingest' },
      ...{ phases: 'examples,coverage,fuzzing', examples: '25' }
    })
    expect(code).toBe(0)
  },
  timeoutMs
)

/** They end the session that asks, or never end themselves. */
const apart = ['logout', 'endSession', 'tailDecisions', 'tailDecisionsByTicket']

test(
  'every answer of the routes of people is one that the document tells of',
  async () => {
    const { gateway, tenant } = await startDocumented()
    const client = clientOf(gateway, tenant)
    const { body } = await client.login(tenant.email, tenant.password)
    const code = await ask({
      ...{ url: gateway.url, credential: String(body['access_token']) },
      ...{ paths: '^/v1/(auth|decisions|profiles)', without: apart },
      ...{ phases: 'examples,coverage,fuzzing', examples: '5' }
    })
    expect(code).toBe(0)
  },
  timeoutMs
)
