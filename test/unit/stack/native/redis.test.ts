/** The local server's own configuration file. */
import { expect, test } from '@jest/globals'
import { redisConfigurationOf } from '../../../../stack/native/redis.ts'

const settings = { port: 6379, folder: '/a "b"/redis', password: 'secret', ephemeral: false }

test('Redis listens on the loopback address, asks for a password and runs no code', () => {
  expect(redisConfigurationOf(settings).split('\n')).toEqual([
    ...['bind 127.0.0.1', 'port 6379', 'dir "/a \\"b\\"/redis"', 'save 60 1'],
    'requirepass secret',
    ...['CONFIG', 'DEBUG', 'MODULE'].map((name) => `rename-command ${name} ""`),
    ''
  ])
})

test('an ephemeral Redis writes no snapshots', () => {
  expect(redisConfigurationOf({ ...settings, ephemeral: true })).toContain('\nsave ""\n')
})
