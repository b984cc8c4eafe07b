/** What the stack keeps and runs is out of reach of other users. */
import { expect, test } from '@jest/globals'
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolderOption } from '../../../stack/native/java-temporary-folder.ts'
import { makePrivateFolder, withdrawWritingBelow } from '../../../stack/private-folder.ts'
import { temporaryFolder } from './temporary-folder.ts'

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

test('a private folder is its owner’s alone, also one that was there before', () => {
  const made = makePrivateFolder(join(temporaryFolder(), 'new', 'data'))
  const found = join(temporaryFolder(), 'found')
  mkdirSync(found)
  chmodSync(found, 0o777)
  expect([made, makePrivateFolder(found)].map(modeOf)).toEqual([0o700, 0o700])
  expect(modeOf(makePrivateFolder(found, 0o711))).toBe(0o711)
})

test('only the owner can write what is run, and everybody can still read it', () => {
  const folder = join(temporaryFolder(), 'redis')
  const program = join(folder, 'bin', 'redis-server')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(program, '')
  for (const path of [folder, join(folder, 'bin'), program]) chmodSync(path, 0o775)
  symlinkSync('/nowhere', join(folder, 'link'))
  withdrawWritingBelow(folder)
  expect([folder, join(folder, 'bin'), program].map(modeOf)).toEqual([0o755, 0o755, 0o755])
})

test('Java gets a temporary folder of its own, without what an earlier run left there', () => {
  const folder = temporaryFolder()
  const left = join(folder, 'tmp', 'liblz4.so')
  mkdirSync(join(folder, 'tmp'))
  writeFileSync(left, '')
  expect(temporaryFolderOption(folder)).toBe(`-Djava.io.tmpdir=${join(folder, 'tmp')}`)
  expect(modeOf(join(folder, 'tmp'))).toBe(0o700)
  expect(() => statSync(left)).toThrow('ENOENT')
})
