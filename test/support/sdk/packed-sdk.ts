/** Builds and packs the TypeScript SDK as npm does for publishing. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface PackedSdk {
  readonly path: string
  readonly files: readonly string[]
}

/**
 * Builds the SDK in a copy of its sources, because the build removes `dist` and test files run in
 * parallel.
 */
async function packSdk(folder: string): Promise<PackedSdk> {
  const source = join(folder, 'source')
  const filter = (path: string): boolean => basename(path) !== 'dist'
  cpSync(join('sdk', 'typescript'), source, { recursive: true, filter })
  symlinkSync(resolve('node_modules'), join(source, 'node_modules'))
  const args = ['pack', '--json', '--silent', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: source })
  // Skip the build output that npm prints before the JSON.
  const [packed] = JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as [Packed]
  return { path: join(folder, packed.filename), files: packed.files.map(({ path }) => path) }
}

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** Creates a project that depends on the packed SDK. */
export async function installSdk(folder: string): Promise<PackedSdk> {
  mkdirSync(folder, { recursive: true })
  const packed = await packSdk(folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const args = ['install', '--no-audit', '--no-fund', '--offline', packed.path]
  await run('npm', args, { cwd: folder })
  return packed
}
