/** Checks whether the input files of a phase have changed since it last passed here. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../../stack/downloads.ts'
import { phaseOf } from './phases.ts'
import type { PhaseName } from './phases.ts'

/** In the cache of downloads and builds: deleting the cache makes every phase run again. */
function placeOf(phase: PhaseName): string {
  const { inputs = [] } = phaseOf(phase)
  return join(cacheFolder(process.env), 'passed', `${phase}-${hashOf(inputs)}`)
}

/** Hashes the names and contents of all files below the inputs that git does not ignore. */
function hashOf(inputs: readonly string[]): string {
  const args = ['ls-files', '-co', '--exclude-standard', '-z', '--', ...inputs]
  const paths = execFileSync('git', args, { encoding: 'utf8' }).split('\0')
  const hash = createHash('sha256').update(process.version)
  for (const path of [...new Set(paths)].toSorted()) {
    if (path === '' || !existsSync(path) || !lstatSync(path).isFile()) continue
    hash.update(`${path}\0`).update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex').slice(0, 32)
}

export function isUnchanged(phase: PhaseName): boolean {
  return phaseOf(phase).runs === 'changed' && existsSync(placeOf(phase))
}

/** Call this when every test of the phase has passed. */
export function rememberPassed(phase: PhaseName): void {
  if (phaseOf(phase).runs !== 'changed') return
  const place = placeOf(phase)
  mkdirSync(join(place, '..'), { recursive: true })
  writeFileSync(place, '')
}
