/** Finds the tools that deploy/readers needs: kcat, and Python with its libraries. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findPythonEnvironment } from './python-environment.ts'
import { isAvailable } from './run-to-end.ts'

export const readersFolder = resolve('deploy/readers')

const isPythonNewEnough = 'import sys; sys.exit(sys.version_info < (3, 11))'

export function hasKcat(): boolean {
  return isAvailable('kcat', '-V')
}

/**
 * Returns the `bin` folder of the Python environment; null, after a warning, if it cannot be
 * created.
 */
export async function findReaderPython(): Promise<string | null> {
  if (!isAvailable('python3', '-c', isPythonNewEnough)) {
    process.stderr.write('There is no Python 3.11 here, nor a newer one.\n')
    return null
  }
  const requirements = readFileSync(join(readersFolder, 'requirements.txt'), 'utf8')
  return await findPythonEnvironment('readers', ...requirements.trim().split('\n'))
}
