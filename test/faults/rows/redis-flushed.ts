/** Repeatedly deletes the data and scripts in Redis. */
import { Redis } from 'ioredis'
import { services } from '../../support/services.ts'
import type { Fault } from '../fault.ts'

const between = 100

export const redisFlushed: Fault = {
  done: ({ rounds }) => `FLUSHALL and SCRIPT FLUSH, ${rounds} times`,
  allows: [],
  inject: async ({ settings, acknowledgeMore }) => {
    const redis = new Redis(services().addresses.redisUrl)
    try {
      for (let round = 0; round < settings.rounds; round += 1) {
        await redis.flushall()
        await redis.script('FLUSH')
        await acknowledgeMore(between)
      }
    } finally {
      redis.disconnect()
    }
  }
}
