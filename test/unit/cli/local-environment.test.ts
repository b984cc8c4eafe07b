/** Tests which environment variables a command gets from the local stack. */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Environment } from '../../../platform/config/config.ts'

const source = fileURLToPath(new URL('../../../cli/local-environment.ts', import.meta.url))

let folder: string
let localEnvironment: (environment: Environment) => Environment

/** Copies the module to a temporary folder, because it finds the stack relative to its own path. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'))
  for (const name of ['cli', '.sluice']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const copy = join(folder, 'cli/local-environment.ts')
  copyFileSync(source, copy)
  const loaded = (await import(pathToFileURL(copy).href)) as {
    localEnvironment: typeof localEnvironment
  }
  localEnvironment = loaded.localEnvironment
})
afterEach(() => rmSync(folder, { recursive: true }))

function writeStack(name: 'local.json' | 'secrets.json', content: unknown): void {
  writeFileSync(join(folder, '.sluice', name), JSON.stringify(content))
}

const stack = {
  kafka_brokers: '127.0.0.1:9092',
  schema_registry_url: 'http://127.0.0.1:8081',
  redis_url: 'redis://127.0.0.1:6379',
  database_url: 'postgres://127.0.0.1/sluice',
  api_key: 'slk_local'
}

test('leaves the environment unchanged without a stack', () => {
  expect(localEnvironment({ LOG_LEVEL: 'warn' })).toEqual({ LOG_LEVEL: 'warn' })
})

test('adds only the addresses and secrets of the stack', () => {
  writeStack('local.json', stack)
  writeStack('secrets.json', { API_KEY_PEPPER: 'pepper' })
  expect(localEnvironment({ LOG_LEVEL: 'warn' })).toEqual({
    LOG_LEVEL: 'warn',
    KAFKA_BROKERS: '127.0.0.1:9092',
    SCHEMA_REGISTRY_URL: 'http://127.0.0.1:8081',
    REDIS_URL: 'redis://127.0.0.1:6379',
    DATABASE_URL: 'postgres://127.0.0.1/sluice',
    API_KEY_PEPPER: 'pepper'
  })
})

test('accepts a list of brokers', () => {
  writeStack('local.json', { kafka_brokers: ['a:1', 'b:2'] })
  expect(localEnvironment({})).toEqual({ KAFKA_BROKERS: 'a:1,b:2' })
})

test('prefers variables of the environment', () => {
  writeStack('local.json', stack)
  const found = localEnvironment({ DATABASE_URL: 'postgres://elsewhere/sluice' })
  expect(found['DATABASE_URL']).toBe('postgres://elsewhere/sluice')
  expect(found['REDIS_URL']).toBe(stack.redis_url)
})

test('does not add a variable that the environment sets through a file', () => {
  writeStack('secrets.json', { API_KEY_PEPPER: 'pepper' })
  const environment = { API_KEY_PEPPER_FILE: '/run/secrets/pepper' }
  expect(localEnvironment(environment)).toEqual(environment)
})

test('does not add empty values', () => {
  writeStack('local.json', { database_url: '', kafka_brokers: [] })
  expect(localEnvironment({})).toEqual({})
})
