/** What the readers in deploy/readers need: a Python with their libraries, and kcat. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findPythonEnvironment } from './python-environment.ts'
import { answers } from './run-to-end.ts'

export const readersFolder = resolve('deploy/readers')

const isPythonNewEnough = 'import sys; sys.exit(sys.version_info < (3, 11))'

export function hasKcat(): boolean {
  return answers('kcat', '-V')
}

/** The folder of their programs; null, and a line that says so, where they cannot run. */
export async function findReaderPython(): Promise<string | null> {
  if (!answers('python3', '-c', isPythonNewEnough)) {
    process.stderr.write('There is no Python 3.11 here, nor a newer one.\n')
    return null
  }
  const requirements = readFileSync(join(readersFolder, 'requirements.txt'), 'utf8')
  return await findPythonEnvironment('readers', ...requirements.trim().split('\n'))
}
