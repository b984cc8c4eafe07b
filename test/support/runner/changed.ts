/** Whether the files that a phase is about are as they were when it last passed on this machine. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../../stack/downloads.ts'
import { phaseOf } from './phases.ts'
import type { PhaseName } from './phases.ts'

/** Beneath the cache of what tests build or fetch: deleting it makes every phase run again. */
function placeOf(phase: PhaseName): string {
  const { inputs = [] } = phaseOf(phase)
  return join(cacheFolder(process.env), 'passed', `${phase}-${hashOf(inputs)}`)
}

/** Names and contents of all files that git tracks or would, below the inputs. */
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

/** Call it when the whole phase has passed. */
export function rememberPassed(phase: PhaseName): void {
  if (phaseOf(phase).runs !== 'changed') return
  const place = placeOf(phase)
  mkdirSync(join(place, '..'), { recursive: true })
  writeFileSync(place, '')
}
