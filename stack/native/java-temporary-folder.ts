/** Gives a Java service its own temporary folder. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '../private-folder.ts'

/**
 * Empties the temporary folder and returns the Java option that selects it. Libraries unpack native
 * code to this folder and leave it behind if the process is killed. In a folder shared by all
 * users, these files would accumulate, and another user could replace them.
 */
export function temporaryFolderOption(serviceFolder: string): string {
  const path = join(serviceFolder, 'tmp')
  rmSync(path, { recursive: true, force: true })
  return `-Djava.io.tmpdir=${makePrivateFolder(path)}`
}
