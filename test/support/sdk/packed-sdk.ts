/** The TypeScript SDK as npm would publish it, built and packed into a folder. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface PackedSdk {
  /** The tarball. */
  readonly path: string
  readonly files: readonly string[]
}

/** Built from a copy of the sources: suites run concurrently, and each build removes `dist`. */
async function packSdk(folder: string): Promise<PackedSdk> {
  const source = join(folder, 'source')
  const filter = (path: string): boolean => basename(path) !== 'dist'
  cpSync(join('sdk', 'typescript'), source, { recursive: true, filter })
  symlinkSync(resolve('node_modules'), join(source, 'node_modules'))
  const args = ['pack', '--json', '--silent', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: source })
  // What the build prints comes first.
  const [packed] = JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as [Packed]
  return { path: join(folder, packed.filename), files: packed.files.map(({ path }) => path) }
}

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** A folder that depends on it, as a program of somebody else does. */
export async function installSdk(folder: string): Promise<PackedSdk> {
  mkdirSync(folder, { recursive: true })
  const packed = await packSdk(folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const args = ['install', '--no-audit', '--no-fund', '--offline', packed.path]
  await run('npm', args, { cwd: folder })
  return packed
}
