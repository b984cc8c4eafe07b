/** Installs npm packages that are too large to be dependencies, and caches them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from '../cached-folder.ts'
import { runWell } from '../run-to-end.ts'

/**
 * Installs packages, for example `node@18.20.8`, and resolves with the folder that contains their
 * `node_modules`.
 */
export async function findPackage(...names: readonly string[]): Promise<string> {
  const title = names.join('+').replaceAll(/[/@]/g, '-').replace(/^-/, '')
  return await cachedFolder(title, async (into) => {
    writeFileSync(join(into, 'package.json'), '{"private":true}')
    // Do not pass --ignore-scripts, because some packages download their program in an install
    // script.
    await runWell('npm', ['install', '--no-audit', '--no-fund', ...names], { cwd: into })
  })
}
