/** Python for the tests of its SDK: what is there, and what they install for themselves once. */
import { execFile, execFileSync } from 'node:child_process'
import type { ExecFileOptions } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cacheFolder } from '../../../stack/downloads.ts'

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

export interface Ended {
  readonly code: number
  /** Of both of its outputs. */
  readonly output: string
}

/** Whether there is a Python to test with. */
export function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a program to its end, whatever that is. */
export function run(file: string, args: string[], options: ExecFileOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const limits = { maxBuffer: 64 * 1024 * 1024, encoding: 'utf8' as const }
    execFile(file, args, { ...options, ...limits }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, output: `${stdout}${stderr}` })
    })
  })
}

/** @throws with what the program printed, unless it ended well. */
export async function runWell(
  file: string,
  args: string[],
  options: ExecFileOptions = {}
): Promise<string> {
  const { code, output } = await run(file, args, options)
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}:\n${output}`)
  return output
}

/** The programs of `packages`: the folder they are in. */
export async function pythonTools(): Promise<string> {
  const version = await runWell('python3', ['--version'])
  const key = createHash('sha256')
    .update(version + packages.join())
    .digest('hex')
    .slice(0, 12)
  const folder = join(cacheFolder(process.env), `sdk-python-${key}`)
  const bin = join(folder, 'bin')
  const mark = join(folder, 'complete')
  if (existsSync(mark)) return bin
  rmSync(folder, { recursive: true, force: true })
  await runWell('python3', ['-m', 'venv', folder])
  await runWell(join(bin, 'pip'), ['install', '--quiet', ...packages])
  writeFileSync(mark, '')
  return bin
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
