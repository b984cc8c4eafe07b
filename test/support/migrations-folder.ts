/** Creates migration folders for tests of the migration runner. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrationsFolder } from '../../schemas/index.ts'
import { onEnd } from './cleanup.ts'

/** SQL by migration file name. */
export type MigrationTexts = Readonly<Record<string, string>>

/** Reads the migrations of this repository. */
export async function ownMigrations(): Promise<MigrationTexts> {
  const names = await readdir(migrationsFolder)
  const read = async (name: string) =>
    [name, await readFile(join(migrationsFolder, name), 'utf8')] as const
  return Object.fromEntries(await Promise.all(names.map(read)))
}

export async function createMigrationsFolder(texts: MigrationTexts): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-migrations-'))
  onEnd(() => rm(folder, { recursive: true }))
  const files = Object.entries(texts)
  await Promise.all(files.map(([name, text]) => writeFile(join(folder, name), text)))
  return folder
}
