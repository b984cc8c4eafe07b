/** Tests when the console is built again. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { isStale } from '../../../stack/build-console.ts'
import { temporaryFolder } from './temporary-folder.ts'

function write(folder: string, path: string, seconds: number): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  utimesSync(file, seconds, seconds)
  utimesSync(dirname(file), seconds, seconds)
}

test('the console is built if it is missing or older than a source or a package', () => {
  const folder = temporaryFolder()
  write(folder, 'console/src/lib/a.ts', 1000)
  utimesSync(join(folder, 'console/src'), 1000, 1000)
  expect(isStale(folder)).toBe(true)
  write(folder, 'console/dist/index.html', 2000)
  expect(isStale(folder)).toBe(false)
  write(folder, 'console/src/lib/a.ts', 3000)
  expect(isStale(folder)).toBe(true)
  write(folder, 'console/dist/index.html', 4000)
  write(folder, 'package-lock.json', 5000)
  expect(isStale(folder)).toBe(true)
})
