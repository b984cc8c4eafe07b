/** Listening begins with each connection, and a connection that cannot listen is given up. */
import { expect, test } from '@jest/globals'
import { EventEmitter } from 'node:events'
import { apiKeyChangesChannel } from '../../../core/ids/api-key.ts'
import { hearKeyChanges } from '../../../auth/hear-key-changes.ts'
import type { Redis } from '../../../platform/redis/redis.ts'

class FakeRedis extends EventEmitter {
  readonly subscribed: string[] = []
  readonly disconnected: boolean[] = []
  failure: Error | null = null

  async subscribe(channel: string): Promise<void> {
    await Promise.resolve()
    if (this.failure !== null) throw this.failure
    this.subscribed.push(channel)
  }

  disconnect(reconnects: boolean): void {
    this.disconnected.push(reconnects)
  }
}

function scene() {
  const redis = new FakeRedis()
  const heard: string[] = []
  hearKeyChanges(redis as unknown as Redis, (keyId) => heard.push(keyId))
  return { redis, heard }
}

test('it subscribes at each connection, and tells what it hears', async () => {
  const { redis, heard } = scene()
  redis.emit('ready')
  redis.emit('ready')
  redis.emit('message', apiKeyChangesChannel, 'abc')
  await new Promise(setImmediate)
  expect(redis.subscribed).toEqual([apiKeyChangesChannel, apiKeyChangesChannel])
  expect(heard).toEqual(['abc'])
})

test('a connection on which it cannot listen is closed, and another one begins', async () => {
  const { redis } = scene()
  redis.failure = new Error('frozen')
  redis.emit('ready')
  await new Promise(setImmediate)
  expect(redis.disconnected).toEqual([true])
})
