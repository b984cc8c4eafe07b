/** What the document promises, held against a gateway by Schemathesis.
 *
 * Runs only when asked (`npm test -- openapi`): it needs Python, and installs Schemathesis for
 * itself once. Every answer must be documented: its status, headers, type and form.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { cacheFolder } from '../../stack/downloads.ts'
import { clientOf, createInstallation } from '../support/installation.ts'

const version = '4.32.5'
const seed = '1'
const timeoutMs = 9 * 60_000
const run = promisify(execFile)

/** The program, in a Python environment of its own. */
async function findSchemathesis(): Promise<string> {
  const folder = join(cacheFolder(process.env), `schemathesis-${version}`)
  const program = join(folder, 'bin', 'schemathesis')
  if (existsSync(program)) return program
  await run('python3', ['-m', 'venv', folder])
  await run(join(folder, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${version}`])
  return program
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

test(
  'every answer of the ingest routes is one that the document tells of',
  async () => {
    const sluice = await createInstallation()
    const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
    const [gateway] = await Promise.all([
      sluice.start('gateway', { DOCS_ENABLED: 'true' }),
      sluice.start('storage')
    ])
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
    const sluice = await createInstallation()
    const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
    const [gateway] = await Promise.all([
      sluice.start('gateway', { DOCS_ENABLED: 'true' }),
      sluice.start('storage')
    ])
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
