/** Creates Python environments with the packages that tests need, and caches them. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolder } from '../../stack/downloads.ts'
import { isAvailable, runWell } from './run-to-end.ts'

export function hasPython(): boolean {
  return isAvailable('python3', '--version')
}

/**
 * Returns the `bin` folder of an environment that contains the packages. Environments are cached by
 * Python version and packages. Returns null, after a warning, if Python is missing or the packages
 * cannot be installed.
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

/**
 * Creates the environment at its final path, because it cannot be moved, and then links to it from
 * `folder`.
 */
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
    // Ignore the error if another process has created the link first.
    if (!existsSync(folder)) throw error
  }
}
