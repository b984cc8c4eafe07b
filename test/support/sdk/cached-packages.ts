/** Packages that are too heavy to depend on, installed once per user. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from '../cached-folder.ts'
import { runWell } from '../run-to-end.ts'

/** Resolves with the folder whose `node_modules` hold the packages, such as `node@18.20.8`. */
export async function findPackage(...names: readonly string[]): Promise<string> {
  const title = names.join('+').replaceAll(/[/@]/g, '-').replace(/^-/, '')
  return await cachedFolder(title, async (into) => {
    writeFileSync(join(into, 'package.json'), '{"private":true}')
    // Some fetch their program only when they are installed, which they may do here.
    await runWell('npm', ['install', '--no-audit', '--no-fund', ...names], { cwd: into })
  })
}
