/** Gives a Java service a temporary folder of its own. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '../private-folder.ts'

/**
 * Libraries unpack native code there and leave it when they are killed, so it is emptied first. In
 * a folder of all users, such files would pile up, and another user could exchange them.
 */
export function temporaryFolderOption(serviceFolder: string): string {
  const path = join(serviceFolder, 'tmp')
  rmSync(path, { recursive: true, force: true })
  return `-Djava.io.tmpdir=${makePrivateFolder(path)}`
}
