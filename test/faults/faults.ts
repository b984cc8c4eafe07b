/** Maps names to gateway faults. Each fault is a file in rows/. */
import type { FaultName } from './fault-titles.ts'
import type { Fault } from './fault.ts'
import { brokerFrozen } from './rows/broker-frozen.ts'
import { brokerKilled } from './rows/broker-killed.ts'
import { gatewayKilled } from './rows/gateway-killed.ts'
import { gatewayStopped } from './rows/gateway-stopped.ts'
import { postgresUnavailable } from './rows/postgres-unavailable.ts'
import { redisFlushed } from './rows/redis-flushed.ts'
import { redisFrozen } from './rows/redis-frozen.ts'
import { redisKilled } from './rows/redis-killed.ts'
import { registryUnavailable } from './rows/registry-unavailable.ts'
import { responseLost } from './rows/response-lost.ts'

export const faults: Readonly<Record<FaultName, Fault>> = {
  'response-lost': responseLost,
  'broker-frozen': brokerFrozen,
  'broker-killed': brokerKilled,
  'redis-killed': redisKilled,
  'redis-frozen': redisFrozen,
  'redis-flushed': redisFlushed,
  'registry-unavailable': registryUnavailable,
  'postgres-unavailable': postgresUnavailable,
  'gateway-stopped': gatewayStopped,
  'gateway-killed': gatewayKilled
}
