/** Protects folders and files of the stack from other users. */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const ownerOnly = 0o700
const writableByOthers = 0o022

/** Creates a folder and returns its path. By default, only the owner can access it. */
export function makePrivateFolder(path: string, mode = ownerOnly): string {
  mkdirSync(path, { recursive: true })
  chmodSync(path, mode)
  return path
}

/**
 * Removes write access to a file or folder for everyone except its owner.
 * @throws if others can write to it and it belongs to another user
 */
export function removeWriteAccess(path: string): void {
  const found = lstatSync(path)
  if (found.isSymbolicLink() || (found.mode & writableByOthers) === 0) return
  chmodSync(path, found.mode & ~writableByOthers)
}

/** Removes write access of others to a folder and everything in it. */
export function removeWriteAccessBelow(folder: string): void {
  removeWriteAccess(folder)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    removeWriteAccess(join(folder, name))
  }
}
