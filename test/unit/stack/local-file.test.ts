/** Tests the local stack's files, which only their owner can read, and the summary of its
 * addresses.
 */
import { expect, test } from '@jest/globals'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { readLocalFile, writeLocalFile } from '../../../stack/local-file.ts'
import { keepSecrets } from '../../../stack/secrets.ts'
import { curlOf, summaryOf } from '../../../stack/tour/summary.ts'
import { temporaryFolder } from './temporary-folder.ts'

const LOCAL = {
  base_url: 'http://127.0.0.1:8080',
  management_url: 'http://127.0.0.1:9464',
  storage_management_url: 'http://127.0.0.1:9465',
  evaluation_management_url: 'http://127.0.0.1:9466',
  docs_url: 'http://127.0.0.1:8080/docs',
  console_url: 'http://127.0.0.1:8080/console/',
  api_key: 'slk_local_x',
  email: 'a@b',
  password: 'p',
  organization_id: 'o',
  kafka_brokers: '127.0.0.1:9092',
  schema_registry_url: 'http://127.0.0.1:8081/apis/ccompat/v7',
  redis_url: 'redis://127.0.0.1:6379',
  database_url: 'postgres://127.0.0.1:5432/sluice',
  pids: { kafka: 1 }
}

function aPath(name: string): string {
  return join(temporaryFolder(), 'new', name)
}

test('reads local.json as written, readable only by its owner', () => {
  const path = aPath('local.json')
  expect(readLocalFile(path)).toBeNull()
  writeLocalFile(path, LOCAL)
  expect(readLocalFile(path)).toEqual(LOCAL)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('creates secrets once', () => {
  const path = aPath('secrets.json')
  const first = keepSecrets(path)
  expect(first.API_KEY_PEPPER.length).toBeGreaterThanOrEqual(32)
  expect(first.SESSION_SIGNING_KEY).toMatch(/^-----BEGIN PRIVATE KEY-----/)
  expect(keepSecrets(path)).toEqual(first)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('prints every address and ends with how to stop', () => {
  const lines = summaryOf(LOCAL, (_colour, text) => text)
  for (const value of [LOCAL.docs_url, LOCAL.api_key, LOCAL.kafka_brokers, LOCAL.database_url]) {
    expect(lines.join('\n')).toContain(value)
  }
  expect(lines.filter((line) => line.includes('may call private addresses'))).toHaveLength(1)
  expect(lines.at(-1)).toMatch(/^Ctrl-C/)
})

test('prints the curl command as one shell command', () => {
  const lines = curlOf(LOCAL)
  expect(lines.slice(0, -1).every((line) => line.endsWith(' \\'))).toBe(true)
  expect(lines.join('\n')).toContain("'Authorization: Bearer slk_local_x'")
})
