/** Keeps other users of the machine away from folders and files of the stack. */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const ownerOnly = 0o700
const writableByOthers = 0o022

/** Creates the folder, for its owner only unless `mode` says otherwise. Returns its path. */
export function makePrivateFolder(path: string, mode = ownerOnly): string {
  mkdirSync(path, { recursive: true })
  chmodSync(path, mode)
  return path
}

/**
 * Withdraws the right to write a file or folder from everybody but its owner.
 * @throws if others may write it and it belongs to another user
 */
export function withdrawWriting(path: string): void {
  const found = lstatSync(path)
  if (found.isSymbolicLink() || (found.mode & writableByOthers) === 0) return
  chmodSync(path, found.mode & ~writableByOthers)
}

/** The same for a folder and everything below it. */
export function withdrawWritingBelow(folder: string): void {
  withdrawWriting(folder)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    withdrawWriting(join(folder, name))
  }
}
