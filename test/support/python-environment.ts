/** Python, and packages of it that tests install for themselves. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolder } from '../../stack/downloads.ts'
import { answers, runWell } from './run-to-end.ts'

export function hasPython(): boolean {
  return answers('python3', '--version')
}

/**
 * The folder of the packages' programs, installed once for each Python and each list of packages;
 * null, and a line that says so, where there is no Python or nowhere to have them from.
 */
export async function findPythonEnvironment(
  name: string,
  ...packages: readonly string[]
): Promise<string | null> {
  try {
    const version = await runWell('python3', ['--version'])
    const hash = createHash('sha256').update(version + packages.join())
    const folder = join(cacheFolder(process.env), `${name}-${hash.digest('hex').slice(0, 12)}`)
    await fill(folder, packages)
    return join(folder, 'bin')
  } catch (error) {
    const why = String(error).slice(0, 400)
    process.stderr.write(`There is no Python here with ${packages.join(' ')}: ${why}\n`)
    return null
  }
}

/** It knows its own place, so it stays where it is made, and gets its name when it is whole. */
async function fill(folder: string, packages: readonly string[]): Promise<void> {
  if (existsSync(folder)) return
  mkdirSync(dirname(folder), { recursive: true })
  const made = mkdtempSync(`${folder}.`)
  try {
    await runWell('python3', ['-m', 'venv', made])
    await runWell(join(made, 'bin', 'pip'), ['install', '--quiet', ...packages])
    symlinkSync(made, folder)
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    // Another process that made it meanwhile was sooner.
    if (!existsSync(folder)) throw error
  }
}
