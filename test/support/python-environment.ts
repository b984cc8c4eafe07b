/** Python, and packages of it that tests install for themselves. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../stack/downloads.ts'
import { answers, runWell } from './run-to-end.ts'

export function hasPython(): boolean {
  return answers('python3', '--version')
}

/**
 * The folder of the packages' programs, in a folder of the cache that `name` names; null, and a
 * line that says so, where there is no Python or nowhere to have them from.
 */
export async function findPythonEnvironment(
  name: string,
  ...packages: string[]
): Promise<string | null> {
  const folder = join(cacheFolder(process.env), name)
  try {
    await fill(folder, packages)
    return join(folder, 'bin')
  } catch (error) {
    const why = String(error).slice(0, 400)
    process.stderr.write(`There is no Python here with ${packages.join(' ')}: ${why}\n`)
    return null
  }
}

/** It names its own place, so that it cannot be made elsewhere: a mark says that it is whole. */
async function fill(folder: string, packages: readonly string[]): Promise<void> {
  const mark = join(folder, 'complete')
  if (existsSync(mark)) return
  rmSync(folder, { recursive: true, force: true })
  await runWell('python3', ['-m', 'venv', folder])
  await runWell(join(folder, 'bin', 'pip'), ['install', '--quiet', ...packages])
  writeFileSync(mark, '')
}
