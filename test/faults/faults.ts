/** Every fault by its name; a new one is a file in rows/ and a line here. */
import type { FaultName } from './fault-titles.ts'
import type { Fault } from './fault.ts'
import { brokerFrozen } from './rows/broker-frozen.ts'
import { brokerKilled } from './rows/broker-killed.ts'
import { gatewayKilled } from './rows/gateway-killed.ts'
import { gatewayStopped } from './rows/gateway-stopped.ts'
import { postgresAway } from './rows/postgres-away.ts'
import { redisFlushed } from './rows/redis-flushed.ts'
import { redisFrozen } from './rows/redis-frozen.ts'
import { redisKilled } from './rows/redis-killed.ts'
import { registryAway } from './rows/registry-away.ts'
import { responseLost } from './rows/response-lost.ts'

export const faults: Readonly<Record<FaultName, Fault>> = {
  'response-lost': responseLost,
  'broker-frozen': brokerFrozen,
  'broker-killed': brokerKilled,
  'redis-killed': redisKilled,
  'redis-frozen': redisFrozen,
  'redis-flushed': redisFlushed,
  'registry-away': registryAway,
  'postgres-away': postgresAway,
  'gateway-stopped': gatewayStopped,
  'gateway-killed': gatewayKilled
}
