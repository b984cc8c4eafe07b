/** Tests the subscription to key changes, which is renewed on each connection. */
import { expect, test } from '@jest/globals'
import { EventEmitter } from 'node:events'
import { apiKeyChangesChannel } from '../../../core/ids/api-key.ts'
import { subscribeKeyChanges } from '../../../auth/subscribe-key-changes.ts'
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
  subscribeKeyChanges(redis as unknown as Redis, (keyId) => heard.push(keyId))
  return { redis, heard }
}

test('subscribes on each connection and reports changes', async () => {
  const { redis, heard } = scene()
  redis.emit('ready')
  redis.emit('ready')
  redis.emit('message', apiKeyChangesChannel, 'abc')
  await new Promise(setImmediate)
  expect(redis.subscribed).toEqual([apiKeyChangesChannel, apiKeyChangesChannel])
  expect(heard).toEqual(['abc'])
})

test('reconnects when the subscription fails', async () => {
  const { redis } = scene()
  redis.failure = new Error('frozen')
  redis.emit('ready')
  await new Promise(setImmediate)
  expect(redis.disconnected).toEqual([true])
})
