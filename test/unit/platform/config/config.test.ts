/** Tests that reading a configuration checks all of it, freezes it, and reports all errors at once.
 */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { ConfigError, readConfig, settings } from '../../../../platform/config/config.ts'
import type { Environment, SettingName } from '../../../../platform/config/config.ts'
import type { Setting } from '../../../../platform/config/setting.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pepper = 'a pepper of more than 32 characters'
const rows = Object.entries<Setting<unknown>>(settings)

function fileWith(content: string): string {
  const path = join(
    folder,
    `${content.length}-${Buffer.from(content).toString('hex').slice(0, 20)}`
  )
  writeFileSync(path, content)
  return path
}

function errorOf(environment: Environment, names: readonly SettingName[]): string {
  try {
    readConfig(environment, names)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message
  }
  throw new Error('the configuration was accepted')
}

describe('readConfig', () => {
  test('reads only the requested settings', () => {
    const environment = { KAFKA_BROKERS: 'a:1,b:2', GATEWAY_PORT: '0', DOCS_ENABLED: 'nonsense' }
    expect(readConfig(environment, ['KAFKA_BROKERS', 'GATEWAY_PORT'])).toEqual({
      KAFKA_BROKERS: ['a:1', 'b:2'],
      GATEWAY_PORT: 0
    })
  })

  test('uses the default for unset and empty settings', () => {
    const names = ['GATEWAY_PORT', 'LOG_LEVEL', 'DOCS_ENABLED'] as const
    const defaults = { GATEWAY_PORT: 8080, LOG_LEVEL: 'info', DOCS_ENABLED: false }
    expect(readConfig({}, names)).toEqual(defaults)
    expect(readConfig({ GATEWAY_PORT: '', LOG_LEVEL: '', DOCS_ENABLED: '' }, names)).toEqual(
      defaults
    )
  })

  test('is frozen', () => {
    expect(Object.isFrozen(readConfig({}, ['GATEWAY_PORT']))).toBe(true)
  })

  test('reports every problem in one error', () => {
    const environment = { GATEWAY_PORT: 'http', REDIS_URL: 'http://h', API_KEY_PEPPER: 'short' }
    const names = ['KAFKA_BROKERS', 'GATEWAY_PORT', 'REDIS_URL', 'API_KEY_PEPPER'] as const
    expect(errorOf(environment, names)).toBe(
      [
        'The configuration has 4 problem(s):',
        '  - KAFKA_BROKERS is not set. Comma-separated Kafka bootstrap brokers, each `host:port`.',
        '  - GATEWAY_PORT is "http", expected a whole number from 0 to 65535',
        '  - REDIS_URL must be a URL that begins with redis:// or rediss:// and names a host',
        '  - API_KEY_PEPPER has 5 characters; at least 32 are required'
      ].join('\n')
    )
  })

  test('reports contradictions together with missing settings', () => {
    const environment = { REDIS_URL: 'redis://h', KAFKA_SASL_USERNAME: 'u', GATEWAY_PORT: 'http' }
    const names = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'GATEWAY_PORT'] as const
    expect(errorOf(environment, names)).toBe(
      [
        'The configuration has 2 problem(s):',
        '  - GATEWAY_PORT is "http", expected a whole number from 0 to 65535',
        '  - KAFKA_SASL_USERNAME is set, but KAFKA_SASL_MECHANISM is none'
      ].join('\n')
    )
  })

  test('rejects an unknown Postgres sslmode', () => {
    const environment = { DATABASE_URL: 'postgres://u:hunter2@h/d?sslmode=prefer' }
    const message = errorOf(environment, ['DATABASE_URL'])
    expect(message).toContain('DATABASE_URL has an invalid sslmode; use one of disable, ')
    expect(message).not.toContain('hunter2')
  })

  test('reports an empty setting without default as not set', () => {
    expect(errorOf({ DATABASE_URL: '' }, ['DATABASE_URL'])).toContain('DATABASE_URL is not set')
  })
})

describe('NAME_FILE', () => {
  test('names the file that holds the setting, without its trailing line break', () => {
    const environment = { API_KEY_PEPPER_FILE: fileWith(`${pepper}\n`) }
    expect(readConfig(environment, ['API_KEY_PEPPER'])).toEqual({ API_KEY_PEPPER: pepper })
  })

  test('keeps line breaks inside the value', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' })).trimEnd()
    const environment = { SESSION_SIGNING_KEY_FILE: fileWith(`${pem}\r\n`) }
    expect(readConfig(environment, ['SESSION_SIGNING_KEY'])).toEqual({ SESSION_SIGNING_KEY: pem })
  })

  test('works for every setting, not only secrets', () => {
    const environment = { GATEWAY_PORT_FILE: fileWith('1234') }
    expect(readConfig(environment, ['GATEWAY_PORT'])).toEqual({ GATEWAY_PORT: 1234 })
  })

  test('together with NAME is ambiguous, and neither value is repeated', () => {
    const environment = { API_KEY_PEPPER: pepper, API_KEY_PEPPER_FILE: fileWith(pepper) }
    const message = errorOf(environment, ['API_KEY_PEPPER'])
    expect(message).toContain(
      'API_KEY_PEPPER is set, but API_KEY_PEPPER_FILE is set as well; keep one'
    )
    expect(message).not.toContain(pepper)
  })

  test('reports a file that does not exist', () => {
    const path = join(folder, 'gone')
    const message = errorOf({ API_KEY_PEPPER_FILE: path }, ['API_KEY_PEPPER'])
    expect(message).toContain(
      `API_KEY_PEPPER cannot be read from ${path}, the file in API_KEY_PEPPER_FILE: ` +
        'no such file or directory'
    )
  })

  test('reports a folder', () => {
    const message = errorOf({ GATEWAY_PORT_FILE: folder }, ['GATEWAY_PORT'])
    expect(message).toContain(
      `GATEWAY_PORT cannot be read from ${folder}, the file in GATEWAY_PORT_FILE`
    )
  })

  test('does not repeat the content of a file named by mistake', () => {
    const path = fileWith('hunter2')
    const names = [
      'GATEWAY_PORT',
      'KAFKA_BROKERS',
      'LOG_LEVEL',
      'DOCS_ENABLED',
      'REDIS_URL'
    ] as const
    const environment = Object.fromEntries(names.map((name) => [`${name}_FILE`, path]))
    const message = errorOf(environment, names)
    expect(message).toContain(`GATEWAY_PORT in ${path}: expected a whole number from 0 to 65535`)
    expect(message).toContain(`KAFKA_BROKERS in ${path}: expected host:port`)
    expect(message).not.toContain('hunter2')
  })

  test('counts as not set if the file is empty', () => {
    const environment = { API_KEY_PEPPER_FILE: fileWith('\n') }
    expect(errorOf(environment, ['API_KEY_PEPPER'])).toContain('API_KEY_PEPPER is not set')
  })
})

describe('the table of settings', () => {
  test.each(rows)('%s has a description in one sentence', (name, setting) => {
    expect(name).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
    expect(setting.description).toMatch(/^[A-Z/].*[.]$/)
  })

  test.each(rows.filter(([, { default: value }]) => value !== undefined && value !== null))(
    'the default of %s is also valid as text',
    (_, setting) => {
      expect(setting.parse(String(setting.default))).toEqual(setting.default)
    }
  )

  test.each(rows.filter(([, { default: value }]) => typeof value === 'number'))(
    '%s ends with its unit or counts something',
    (name) => {
      expect(name).toMatch(/_(PORT|POINTS|SECONDS|WORKERS|MS|MAX)$/)
    }
  )

  test('exactly the confidential settings are secrets', () => {
    const secrets = rows.filter(([, setting]) => setting.isSecret).map(([name]) => name)
    expect(secrets).toEqual([
      'KAFKA_TLS_KEY',
      'KAFKA_SASL_PASSWORD',
      'API_KEY_PEPPER',
      'SESSION_SIGNING_KEY',
      'SECRETS_KEY',
      'BOOTSTRAP_PASSWORD',
      'BOOTSTRAP_API_KEY'
    ])
  })
})
