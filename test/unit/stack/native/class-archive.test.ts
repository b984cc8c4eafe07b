/** CDS archives are written once, then used, and never used when incomplete. */
import { expect, test } from '@jest/globals'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { archiveOptions, classArchiveIn } from '../../../../stack/native/class-archive.ts'
import { temporaryFolder } from '../temporary-folder.ts'

test('a service without an archive writes one when it stops', () => {
  const path = join(temporaryFolder(), 'kafka.jsa')
  expect(archiveOptions(path, false)).toContain(`-XX:ArchiveClassesAtExit=${path}`)
})

test('an ephemeral service writes no archive, since it is killed', () => {
  expect(archiveOptions(join(temporaryFolder(), 'kafka.jsa'), true)).toEqual([])
})

test.each([true, false])('a complete archive is used (ephemeral: %s)', (ephemeral) => {
  const path = join(temporaryFolder(), 'kafka.jsa')
  writeFileSync(path, Buffer.from([0xf0, 0x0b, 0xab, 0xa8]))
  expect(archiveOptions(path, ephemeral)).toEqual([
    `-XX:SharedArchiveFile=${path}`,
    '-XX:+VerifySharedSpaces'
  ])
})

test('an archive that Java did not finish is written again', () => {
  const path = join(temporaryFolder(), 'kafka.jsa')
  writeFileSync(path, Buffer.alloc(1024))
  expect(archiveOptions(path, false)).toContain(`-XX:ArchiveClassesAtExit=${path}`)
})

test('each version of Java has its own archive', () => {
  const paths = ['17.0.15', '21.0.2'].map((java) => classArchiveIn('/cache', 'kafka-4.3.1', java))
  expect(new Set(paths).size).toBe(2)
  for (const path of paths) expect(path).toMatch(/^\/cache\/kafka-4\.3\.1-[0-9a-f]{12}\.jsa$/)
})
