/** Python for the tests of its SDK: what is there, and what they install for themselves once. */
import { join, resolve } from 'node:path'
import { findPythonEnvironment } from '../python-environment.ts'
import { runWell } from '../run-to-end.ts'

export const sdkFolder = resolve('sdk/python')

/** What builds and judges the package, and the two libraries that it wraps. */
const packages = [
  'build==1.6.1',
  'hatchling==1.33.0',
  'langchain-core==1.7.2',
  'mypy==2.4.1',
  'openai==3.54.0',
  'ruff==0.17.6',
  'vermin==1.9.2'
]

/** The folder of the programs of `packages`; null, and a line that says so, without them. */
export async function findPythonTools(): Promise<string | null> {
  return await findPythonEnvironment('sdk-python', ...packages)
}

/** Builds the SDK; resolves with the paths of its wheel and its sdist. */
export async function buildSdk(tools: string, folder: string): Promise<readonly [string, string]> {
  const version = /VERSION = "(.*)"/.exec(
    await runWell('cat', [join(sdkFolder, 'src/sluice/_version.py')])
  )?.[1]
  const args = ['-m', 'build', '--no-isolation', '--outdir', folder, sdkFolder]
  await runWell(join(tools, 'python'), args)
  const name = join(folder, `sluice_sdk-${version}`)
  return [`${name}-py3-none-any.whl`, `${name}.tar.gz`]
}

/** A Python environment with the wheel and nothing else; resolves with its folder of programs. */
export async function installWheel(tools: string, wheel: string, folder: string): Promise<string> {
  await runWell('python3', ['-m', 'venv', '--without-pip', folder])
  const python = join(folder, 'bin', 'python')
  const args = ['--python', python, 'install', '--quiet', '--no-index', wheel]
  await runWell(join(tools, 'pip'), args)
  return join(folder, 'bin')
}
