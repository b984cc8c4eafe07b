/** What tests build or fetch for themselves, once per user. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../stack/downloads.ts'

/** A folder of the cache, which `make` fills elsewhere before: it is there as a whole, or not. */
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
