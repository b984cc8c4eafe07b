/** Redis, set so that its absence is noticed at once instead of queueing commands. */
import { isIP } from 'node:net'
import { Redis } from 'ioredis'

const connectTimeoutMs = 500
/** So that nothing waits for ever; who has another way waits less. */
const commandTimeoutMs = 1000
const reconnectPauseMsMax = 2000

/**
 * Commands fail at once when Redis is away, and within `commandTimeoutMs` when it is frozen; the
 * caller has another way.
 */
export function createRedis(url: string, ca: string | null = null): Redis {
  const redis = new Redis(url, {
    ...tlsOf(url, ca),
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(2 ** Math.min(attempt, 10) * 50, reconnectPauseMsMax)
  })
  // Every command that failed has told its caller; the event only repeats it.
  redis.on('error', () => {})
  return redis
}

/** The server is always verified; `ca` is whom to trust for it, instead of those of Node. */
function tlsOf(url: string, ca: string | null) {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'rediss:') return {}
  const host = hostname.replace(/^\[|\]$/g, '')
  // The client does not say by itself which name it asked for.
  const named = isIP(host) === 0 ? { servername: host } : {}
  return { tls: { ...named, ...(ca === null ? {} : { ca }) } }
}

export type { Redis }
