/** The TypeScript SDK as npm would publish it, built and packed into a folder. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface PackedSdk {
  /** The tarball. */
  readonly path: string
  readonly files: readonly string[]
}

export async function packSdk(folder: string): Promise<PackedSdk> {
  const args = ['pack', '--json', '--silent', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: 'sdk/typescript' })
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
  const packed = await packSdk(folder)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const args = ['install', '--no-audit', '--no-fund', '--offline', packed.path]
  await run('npm', args, { cwd: folder })
  return packed
}
