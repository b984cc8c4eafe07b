/** Tests that CDS archives are written once and used only if complete and undamaged. */
import { expect, test } from '@jest/globals'
import { existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  archiveOptions,
  classArchiveIn,
  recordArchive
} from '../../../../stack/native/class-archive.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const magic = [0xf0, 0x0b, 0xab, 0xa8]

function anArchive(content: readonly number[] = [...magic, 1, 2, 3]): string {
  const path = join(temporaryFolder(), 'kafka.jsa')
  writeFileSync(path, Buffer.from(content))
  return path
}

/** Checks that Java will write the archive on exit, and that the old archive was removed. */
function isWrittenAgain(path: string): boolean {
  const options = archiveOptions(path, false)
  return options.includes(`-XX:ArchiveClassesAtExit=${path}`) && !existsSync(path)
}

test('a service without an archive writes one when it stops', () => {
  expect(isWrittenAgain(join(temporaryFolder(), 'kafka.jsa'))).toBe(true)
})

test('an ephemeral service writes no archive, since it is killed', () => {
  expect(archiveOptions(join(temporaryFolder(), 'kafka.jsa'), true)).toEqual([])
})

test.each([true, false])('a complete archive is used (ephemeral: %s)', (ephemeral) => {
  const path = anArchive()
  recordArchive(path)
  expect(archiveOptions(path, ephemeral)).toEqual([`-XX:SharedArchiveFile=${path}`])
})

test.each([
  ['truncated', (path: string) => truncateSync(path, 5)],
  ['changed', (path: string) => writeFileSync(path, Buffer.from([...magic, 1, 9, 3]))]
])('a %s archive is not used, and is written again', (_, damage) => {
  const path = anArchive()
  recordArchive(path)
  damage(path)
  expect(archiveOptions(path, true)).toEqual([])
  expect(isWrittenAgain(path)).toBe(true)
  expect(readdirSync(dirname(path))).toEqual([])
})

test('an archive that Java did not finish is written again', () => {
  const path = anArchive([0, 0, 0, 0, 1, 2, 3])
  recordArchive(path)
  expect(isWrittenAgain(path)).toBe(true)
})

test('an archive of a stack that was killed is written again', () => {
  expect(isWrittenAgain(anArchive())).toBe(true)
})

test('each version of Java has its own archive', () => {
  const paths = ['17.0.15', '21.0.2'].map((java) => classArchiveIn('/cache', 'kafka-4.3.1', java))
  expect(new Set(paths).size).toBe(2)
  for (const path of paths) expect(path).toMatch(/^\/cache\/kafka-4\.3\.1-[0-9a-f]{12}\.jsa$/)
})
