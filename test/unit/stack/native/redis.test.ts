/** Tests the Redis configuration file. */
import { expect, test } from '@jest/globals'
import { redisConfigurationOf } from '../../../../stack/native/redis.ts'

const settings = { port: 6379, folder: '/a "b"/redis', password: 'secret', ephemeral: false }

test('listens on the loopback address, requires a password and disables dangerous commands', () => {
  expect(redisConfigurationOf(settings).split('\n')).toEqual([
    ...['bind 127.0.0.1', 'port 6379', 'dir "/a \\"b\\"/redis"', 'save 60 1'],
    'requirepass secret',
    ...['CONFIG', 'DEBUG', 'MODULE'].map((name) => `rename-command ${name} ""`),
    ''
  ])
})

test('writes no snapshots if ephemeral', () => {
  expect(redisConfigurationOf({ ...settings, ephemeral: true })).toContain('\nsave ""\n')
})
