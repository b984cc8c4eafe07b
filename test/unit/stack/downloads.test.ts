/** Tests the download cache and the parsing of Maven's output. */
import { expect, test } from '@jest/globals'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  bytesOfLine,
  cacheFolder,
  createDownloads,
  redisBinaryIn
} from '../../../stack/downloads.ts'
import { temporaryFolder } from './temporary-folder.ts'

test.each([
  ['[INFO] Downloaded from central: https://host/a.jar (11 MB at 20 MB/s)', 11e6],
  ['Downloaded from central: https://host/a.pom (7.5 kB at 933 kB/s)', 7500],
  ['[INFO] Downloading from central: https://host/a.jar', null],
  ['[INFO] BUILD SUCCESS', null]
])('parses the size of the download from %j', (line, bytes) => {
  expect(bytesOfLine(line)).toBe(bytes)
})

test('uses the cache folder of SLUICE_CACHE, else the default', () => {
  expect(cacheFolder({ SLUICE_CACHE: '/c' })).toBe('/c')
  expect(cacheFolder({ XDG_CACHE_HOME: '/x' })).toBe('/x/sluice')
  expect(cacheFolder({})).toMatch(/\.cache\/sluice$/)
})

test('does not download cached files again, and lets only their owner write them', async () => {
  const cache = temporaryFolder()
  mkdirSync(join(cache, 'kafka-4.3.1'))
  for (const path of [cache, join(cache, 'kafka-4.3.1')]) chmodSync(path, 0o777)
  const downloads = createDownloads(cache)
  const details: string[] = []
  const folder = await downloads.fetch('kafka-4.3.1', (detail) => details.push(detail))
  expect(folder).toBe(join(cache, 'kafka-4.3.1'))
  expect(details).toEqual([])
  expect(downloads.has('apicurio-3.0.9')).toBe(false)
  const modes = [cache, folder].map((path) => statSync(path).mode & 0o777)
  expect(modes).toEqual([0o755, 0o755])
})

test('leaves nothing in the cache after a cancelled download', async () => {
  const cache = temporaryFolder()
  const downloads = createDownloads(cache, AbortSignal.abort())
  await expect(downloads.fetch('redis-1.4.3', () => {})).rejects.toThrow(/abort/i)
  expect(readdirSync(cache)).toEqual([])
})

test('finds the Redis binary of this platform and makes it executable', () => {
  const folder = temporaryFolder()
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `redis-server-6.2.6-${process.platform}-${architecture}`
  writeFileSync(join(folder, name), '', { mode: 0o600 })
  writeFileSync(join(folder, 'redis-server-6.2.6-plan9-mips'), '')
  expect(redisBinaryIn(folder)).toBe(join(folder, name))
  expect(statSync(join(folder, name)).mode & 0o111).toBe(0o111)
})

test('names a platform without a Redis binary', () => {
  expect(() => redisBinaryIn(temporaryFolder())).toThrow(
    /no Redis download for .*; install redis-server/
  )
})
