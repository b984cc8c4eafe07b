/** Tests that other users cannot access or change the files of the stack. */
import { expect, test } from '@jest/globals'
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolderOption } from '../../../stack/native/java-temporary-folder.ts'
import { makePrivateFolder, removeWriteAccessBelow } from '../../../stack/private-folder.ts'
import { temporaryFolder } from './temporary-folder.ts'

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

test('makes a new or existing folder accessible only to its owner', () => {
  const made = makePrivateFolder(join(temporaryFolder(), 'new', 'data'))
  const found = join(temporaryFolder(), 'found')
  mkdirSync(found)
  chmodSync(found, 0o777)
  expect([made, makePrivateFolder(found)].map(modeOf)).toEqual([0o700, 0o700])
  expect(modeOf(makePrivateFolder(found, 0o711))).toBe(0o711)
})

test('makes programs writable only by their owner, but readable by everyone', () => {
  const folder = join(temporaryFolder(), 'redis')
  const program = join(folder, 'bin', 'redis-server')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(program, '')
  for (const path of [folder, join(folder, 'bin'), program]) chmodSync(path, 0o775)
  symlinkSync('/nowhere', join(folder, 'link'))
  removeWriteAccessBelow(folder)
  expect([folder, join(folder, 'bin'), program].map(modeOf)).toEqual([0o755, 0o755, 0o755])
})

test('gives Java its own temporary folder and empties it', () => {
  const folder = temporaryFolder()
  const left = join(folder, 'tmp', 'liblz4.so')
  mkdirSync(join(folder, 'tmp'))
  writeFileSync(left, '')
  expect(temporaryFolderOption(folder)).toBe(`-Djava.io.tmpdir=${join(folder, 'tmp')}`)
  expect(modeOf(join(folder, 'tmp'))).toBe(0o700)
  expect(() => statSync(left)).toThrow('ENOENT')
})
