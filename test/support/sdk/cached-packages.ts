/** Packages that are too heavy to depend on, installed once per user. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../../../stack/downloads.ts'

const run = promisify(execFile)

/** Resolves with the folder whose `node_modules` hold the packages, such as `node@18.20.8`. */
export async function findPackage(...names: readonly string[]): Promise<string> {
  const title = names.join('+').replaceAll(/[/@]/g, '-').replace(/^-/, '')
  const folder = join(cacheFolder(process.env), title)
  if (existsSync(folder)) return folder
  const into = `${folder}.${process.pid}`
  mkdirSync(into, { recursive: true })
  try {
    writeFileSync(join(into, 'package.json'), '{"private":true}')
    // Some fetch their program only when they are installed, which they may do here.
    await run('npm', ['install', '--no-audit', '--no-fund', ...names], { cwd: into })
    renameSync(into, folder)
  } finally {
    rmSync(into, { recursive: true, force: true })
  }
  return folder
}
