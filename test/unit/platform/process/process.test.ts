/** Tests that a process checks its configuration before it starts, and can check it without
 * starting.
 */
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const environment = {
  KAFKA_BROKERS: 'kafka:9092',
  SCHEMA_REGISTRY_URL: 'http://registry',
  REDIS_URL: 'redis://:hunter2@redis',
  DATABASE_URL: 'postgres://user:hunter2@postgres/sluice',
  API_KEY_PEPPER: 'hunter2-hunter2-hunter2-hunter2-hunter2',
  SESSION_SIGNING_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

function run(args: readonly string[], env: Record<string, string> = environment) {
  const options = { cwd: root, env, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', ...args],
    options
  )
  return { status, stdout, stderr }
}

describe('--check-config', () => {
  test("prints the gateway's configuration without its secrets", () => {
    const { status, stdout, stderr } = run(['gateway/main.ts', '--check-config'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('KAFKA_BROKERS=kafka:9092\n')
    expect(stdout).toContain('API_KEY_PEPPER=(secret)\n')
    expect(stdout).toContain('DATABASE_URL=postgres://user:***@postgres/sluice\n')
    expect(stdout).not.toContain('hunter2')
    expect(stdout).not.toContain('PRIVATE KEY')
  })

  test('needs no group to check the settings that all groups read', () => {
    const { status, stdout } = run(['consumers/main.ts', '--check-config'])
    expect(status).toBe(0)
    expect(stdout).toContain('STORAGE_GROUP_ID=sluice-storage\n')
    expect(stdout).not.toContain('API_KEY_PEPPER')
  })

  test('warns of likely mistakes', () => {
    const env = { ...environment, GATEWAY_PROT: '1', GATEWAY_SERVICE_HOST: '10.0.0.1' }
    const { status, stderr } = run(['gateway/main.ts', '--check-config'], env)
    expect(status).toBe(0)
    expect(stderr).toBe('GATEWAY_PROT is not a setting; did you mean GATEWAY_PORT?\n')
  })
})

test('an invalid configuration is reported completely, and nothing starts', () => {
  const { KAFKA_BROKERS, ...rest } = environment
  const env = { ...rest, KAFKA_BROKER: KAFKA_BROKERS, GATEWAY_PORT: 'tcp://10.0.0.1:80' }
  for (const args of [['gateway/main.ts'], ['gateway/main.ts', '--check-config']]) {
    const { status, stdout, stderr } = run(args, env)
    expect({ status, stdout }).toEqual({ status: 78, stdout: '' })
    expect(stderr).toBe(
      [
        'The configuration has 2 problem(s):',
        '  - KAFKA_BROKERS is not set. Comma-separated Kafka bootstrap brokers, each `host:port`.',
        '  - GATEWAY_PORT is "tcp://10.0.0.1:80", expected a whole number from 0 to 65535',
        'KAFKA_BROKER is not a setting; did you mean KAFKA_BROKERS?\n'
      ].join('\n')
    )
  }
})

test.each([
  ['consumers/main.ts', 'nobody'],
  ['consumers/main.ts', 'storage', 'evaluation'],
  ['gateway/main.ts', '--check-confg'],
  ['gateway/main.ts', 'ingest']
])('a wrong argument prints the usage: %s %s', (file, ...args) => {
  const { status, stdout, stderr } = run([file, ...args])
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(`Usage: node ${file}`)
})
