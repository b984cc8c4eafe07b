/** Builds and installs the Python SDK for tests. */
import { join, resolve } from 'node:path'
import { findPythonEnvironment } from '../python-environment.ts'
import { runWell } from '../run-to-end.ts'

export const sdkFolder = resolve('sdk/python')

/** Build and lint tools, and the two libraries that the SDK wraps. */
const packages = [
  'build==1.6.1',
  'hatchling==1.33.0',
  'langchain-core==1.7.2',
  'mypy==2.4.1',
  'openai==3.54.0',
  'ruff==0.17.6',
  'vermin==1.9.2'
]

/** Returns the `bin` folder with the tools; null, after a warning, if they cannot be installed. */
export async function findPythonTools(): Promise<string | null> {
  return await findPythonEnvironment('sdk-python', ...packages)
}

/** Builds the SDK and resolves with the paths of the wheel and the sdist. */
export async function buildSdk(tools: string, folder: string): Promise<readonly [string, string]> {
  const version = /VERSION = "(.*)"/.exec(
    await runWell('cat', [join(sdkFolder, 'src/sluice/_version.py')])
  )?.[1]
  const args = ['-m', 'build', '--no-isolation', '--outdir', folder, sdkFolder]
  await runWell(join(tools, 'python'), args)
  const name = join(folder, `sluice_sdk-${version}`)
  return [`${name}-py3-none-any.whl`, `${name}.tar.gz`]
}

/**
 * Creates a Python environment that contains only the wheel, and resolves with its `bin` folder.
 */
export async function installWheel(tools: string, wheel: string, folder: string): Promise<string> {
  await runWell('python3', ['-m', 'venv', '--without-pip', folder])
  const python = join(folder, 'bin', 'python')
  const args = ['--python', python, 'install', '--quiet', '--no-index', wheel]
  await runWell(join(tools, 'pip'), args)
  return join(folder, 'bin')
}
