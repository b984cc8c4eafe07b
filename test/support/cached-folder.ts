/** Caches files that tests build or download, in a folder shared by all checkouts of a user. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../stack/downloads.ts'

/**
 * Returns a cached folder. If it is missing, `make` fills a temporary folder, which is then
 * renamed, so that cached folders are always complete.
 */
export async function cachedFolder(
  name: string,
  make: (folder: string) => Promise<void>
): Promise<string> {
  const cache = cacheFolder(process.env)
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const made = mkdtempSync(`${folder}.part-`)
  try {
    await make(made)
    if (!existsSync(folder)) renameSync(made, folder)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  return folder
}
