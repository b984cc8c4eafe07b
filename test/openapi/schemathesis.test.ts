/** What the document promises of ingest, held against a gateway by Schemathesis.
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
import { createInstallation } from '../support/installation.ts'

const version = '4.32.5'
const examples = '25'
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

test(
  'every answer of the ingest routes is one that the document tells of',
  async () => {
    const sluice = await createInstallation()
    const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
    const [gateway] = await Promise.all([
      sluice.start('gateway', { DOCS_ENABLED: 'true' }),
      sluice.start('storage')
    ])
    const program = await findSchemathesis()
    const code = await runToEnd(program, [
      ...['--config-file', join(import.meta.dirname, 'schemathesis.toml')],
      ...['run', `${gateway.url}/openapi.json`],
      ...['--header', `Authorization: Bearer ${tenant.api_key}`],
      ...['--include-path-regex', '^/v1/ingest'],
      ...['--phases', 'examples,coverage,fuzzing', '--max-examples', examples],
      ...['--seed', seed, '--generation-database', 'none', '--no-color']
    ])
    expect(code).toBe(0)
  },
  timeoutMs
)
