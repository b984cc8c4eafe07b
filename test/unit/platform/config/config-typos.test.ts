/** Tests that misspelled settings are found, and that variables of other programs are ignored. */
import { describe, expect, test } from '@jest/globals'
import { settings } from '../../../../platform/config/config.ts'
import { typosOf } from '../../../../platform/config/config-typos.ts'

const names = Object.keys(settings)

describe('typosOf', () => {
  test.each([
    ['GATEWAY_PROT', 'GATEWAY_PORT'],
    ['KAFKA_BROKER', 'KAFKA_BROKERS'],
    ['KAFKA_BROKERS_FIEL', 'KAFKA_BROKERS_FILE'],
    ['API_KEY_PEPER_FILE', 'API_KEY_PEPPER_FILE'],
    ['SESSION_SIGNING', 'SESSION_SIGNING_KEY'],
    ['PRODUCE_DEADLINE', 'PRODUCE_DEADLINE_MS'],
    ['RATE_LIMIT_WINDOW', 'RATE_LIMIT_WINDOW_SECONDS'],
    ['KAFKA_TLS_CERTIFICATE', 'KAFKA_TLS_CERT'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['RATELIMIT_POINTS', 'RATE_LIMIT_POINTS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['log_level', 'LOG_LEVEL']
  ])('suggests for %s the setting %s', (name, nearest) => {
    expect(typosOf({ [name]: 'x' }, names)).toEqual([
      `${name} is not a setting; did you mean ${nearest}?`
    ])
  })

  test('knows every setting and its file', () => {
    const all = names.flatMap((name) => [name, `${name}_FILE`])
    expect(typosOf(Object.fromEntries(all.map((name) => [name, 'x'])), names)).toEqual([])
  })

  test.each([
    'PATH',
    'HOSTNAME',
    'BASE_URL',
    'SESSION_MANAGER',
    'REDIS_PASSWORD_OF_SOMEBODY',
    'KAFKA_HEAP_OPTS',
    'GATEWAY_SERVICE_HOST',
    'GATEWAY_SERVICE_PORT_HTTP',
    'GATEWAY_PORT_8080_TCP',
    'GATEWAY_PORT_8080_TCP_ADDR'
  ])('ignores %s', (name) => {
    expect(typosOf({ [name]: 'x' }, names)).toEqual([])
  })
})
