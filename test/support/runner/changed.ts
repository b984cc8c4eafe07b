/** Remembers the inputs with which a phase passed, so that an unchanged phase can be skipped. */
import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cacheFolder } from '../../../stack/downloads.ts'
import { phaseOf } from './phases.ts'
import type { PhaseName } from './phases.ts'

/**
 * The set of installed tools counts as an input, because tests are skipped if their tool is
 * missing.
 */
const tools = ['chromium', 'docker', 'go', 'haproxy', 'java', 'kcat', 'python3']

function isInstalled(tool: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function listFiles(inputs: readonly string[]): string[] {
  const args = ['ls-files', '-co', '--exclude-standard', '-z', '--', ...inputs]
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).split('\0')
  } catch {
    // Without git, the inputs are unknown. A random name makes every fingerprint new, so every
    // phase runs.
    return [randomUUID()]
  }
}

/**
 * Returns a hash of the Node version, the platform, SLUICE_STACK, the installed tools and all input
 * files that git does not ignore.
 */
export function fingerprintOf(phase: PhaseName): string {
  const { inputs = [] } = phaseOf(phase)
  const paths = listFiles(inputs)
  const machine = [process.version, process.platform, process.arch, process.env['SLUICE_STACK']]
  const hash = createHash('sha256').update(JSON.stringify([...machine, tools.filter(isInstalled)]))
  for (const path of [...new Set(paths)].toSorted()) {
    hash.update(`${path}\0`)
    if (path === '' || !existsSync(path) || !lstatSync(path).isFile()) continue
    hash.update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex').slice(0, 32)
}

/**
 * Returns the path of the marker file. It is in the download cache, so that clearing the cache
 * makes every phase run again.
 */
function placeOf(phase: PhaseName, fingerprint: string): string {
  return join(cacheFolder(process.env), 'passed', `${phase}-${fingerprint}`)
}

export function hasPassedWith(phase: PhaseName, fingerprint: string): boolean {
  return existsSync(placeOf(phase, fingerprint))
}

/**
 * Records that a phase passed. The fingerprint must be from before the run, because files can
 * change during the run.
 */
export function rememberPassed(phase: PhaseName, fingerprint: string): void {
  const place = placeOf(phase, fingerprint)
  try {
    mkdirSync(join(place, '..'), { recursive: true })
    writeFileSync(place, '')
  } catch (error) {
    process.stdout.write(`${phase} runs again next time: ${String(error)}\n`)
  }
}
