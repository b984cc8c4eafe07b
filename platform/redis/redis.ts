/** Redis client: fails commands immediately while Redis is unavailable, instead of queueing them.
 */
import { isIP } from 'node:net'
import { Redis } from 'ioredis'

const connectTimeoutMs = 500
/** Maximum time of a command. Callers with a fallback use a shorter limit. */
const commandTimeoutMs = 1000
const reconnectPauseMsMax = 2000

/**
 * Creates a client. Commands fail immediately while Redis is unavailable, and within
 * `commandTimeoutMs` if it is frozen.
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
  // Ignored, because a failed command also rejects its promise.
  redis.on('error', () => {})
  return redis
}

/**
 * Returns the TLS options. The server certificate is always verified; `ca` replaces the CA
 * certificates of Node.js.
 */
function tlsOf(url: string, ca: string | null) {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'rediss:') return {}
  const host = hostname.replace(/^\[|\]$/g, '')
  // The client does not send the server name (SNI) by itself.
  const named = isIP(host) === 0 ? { servername: host } : {}
  return { tls: { ...named, ...(ca === null ? {} : { ca }) } }
}

export type { Redis }
