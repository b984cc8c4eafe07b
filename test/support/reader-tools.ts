/** What the readers in deploy/readers need: a Python with their libraries, and kcat. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cacheFolder } from '../../stack/downloads.ts'
import { runWell } from './run-to-end.ts'

export const readersFolder = resolve('deploy/readers')

/** They are said to need this one. */
const oldestPython = [3, 11] as const

function answers(program: string, ...args: string[]): string | null {
  try {
    return execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
  } catch {
    return null
  }
}

export function hasKcat(): boolean {
  return answers('kcat', '-V') !== null
}

export function hasReaderPython(): boolean {
  const [, major, minor] = /Python (\d+)\.(\d+)/.exec(answers('python3', '--version') ?? '') ?? []
  return Number(major) === oldestPython[0] && Number(minor) >= oldestPython[1]
}

/**
 * Installs what deploy/readers/requirements.txt names, once; resolves with the folder of its
 * programs.
 */
export async function readerPython(): Promise<string> {
  const requirements = join(readersFolder, 'requirements.txt')
  const version = await runWell('python3', ['--version'])
  const hash = createHash('sha256').update(version + readFileSync(requirements, 'utf8'))
  const folder = join(cacheFolder(process.env), `readers-${hash.digest('hex').slice(0, 12)}`)
  const bin = join(folder, 'bin')
  const mark = join(folder, 'complete')
  if (existsSync(mark)) return bin
  rmSync(folder, { recursive: true, force: true })
  await runWell('python3', ['-m', 'venv', folder])
  await runWell(join(bin, 'pip'), ['install', '--quiet', '-r', requirements])
  writeFileSync(mark, '')
  return bin
}
