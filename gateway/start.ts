/** Starts a gateway: connections first, traffic last; the stop runs the other way. */
import type { AddressInfo } from 'node:net'
import { createKafkaProducer } from '../platform/kafka-producer.ts'
import type { Lifecycle } from '../platform/lifecycle.ts'
import type { Logger } from '../platform/logger.ts'
import { close, listen, startManagement } from '../platform/management.ts'
import { createMetrics } from '../platform/metrics.ts'
import type { Metrics } from '../platform/metrics.ts'
import { createPostgres } from '../platform/postgres.ts'
import { createRateLimiter } from '../platform/rate-limiter.ts'
import { createRedis } from '../platform/redis.ts'
import { createRegistry } from '../platform/schema-registry.ts'
import { createGatewayApp } from './create.ts'
import type { GatewayConfig } from './config.ts'
import { createDecisionSchema } from './decision-schema.ts'
import { createLogHealth } from './log-health.ts'
import { createGatewayServer } from './server.ts'

export interface GatewayContext {
  readonly config: GatewayConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

const connectionsMax = 10
const statementTimeoutMs = 5000
/** From "not ready" to "not accepting": balancers have to notice first. */
const unreadyMs = 1000

export async function startGateway(context: GatewayContext): Promise<void> {
  const { config, logger, lifecycle } = context
  const metrics = createMetrics()
  const { postgres, rateLimiter } = openStores(context, metrics)
  const log = openLog(context)
  const { app, drain } = createGatewayApp({
    ...{ config, logger, lifecycle, metrics, postgres, rateLimiter },
    producer: log.producer,
    schemaId: log.schemaId
  })
  lifecycle.onStop('in-flight records', drain)
  const management = await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    metrics,
    notReady: () => [...log.notReady(), ...(lifecycle.isStopping() ? ['stopping'] : [])]
  })
  lifecycle.onStop('management port', () => management.close())

  const server = createGatewayServer(app)
  await listen(server, { host: config.GATEWAY_HOST, port: config.GATEWAY_PORT })
  lifecycle.onStop('traffic', () => close(server))
  lifecycle.onStop('readiness', () => new Promise((resolve) => setTimeout(resolve, unreadyMs)))
  const { port } = server.address() as AddressInfo
  logger.info(
    { port, management_port: management.port, routes: config.GATEWAY_ROUTES },
    'listening'
  )
}

/** Where keys and limits are; a gateway starts and lives without either. */
function openStores({ config, lifecycle }: GatewayContext, metrics: Metrics) {
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    applicationName: 'sluice-gateway',
    connectionsMax,
    statementTimeoutMs
  })
  lifecycle.onStop('postgres', () => postgres.close())
  const redis = createRedis(config.REDIS_URL)
  lifecycle.onStop('redis', () => Promise.resolve(redis.disconnect()))
  const onLocal = (isLocal: boolean): void =>
    metrics.set('sluice_rate_limit_local', {}, isLocal ? 1 : 0)
  return { postgres, rateLimiter: createRateLimiter({ redis, onLocal }) }
}

/** The log and its schema; until both have answered the gateway is not ready. */
function openLog({ config, logger, lifecycle }: GatewayContext) {
  const topic = config.DECISIONS_TOPIC
  const registry = createRegistry(config.SCHEMA_REGISTRY_URL)
  const schema = createDecisionSchema({ registry, topic, logger })
  lifecycle.onStop('schema', () => Promise.resolve(schema.stop()))
  const producer = createKafkaProducer({
    brokers: config.KAFKA_BROKERS,
    clientId: 'sluice-gateway',
    topics: [topic],
    deadlineMs: config.PRODUCE_DEADLINE_MS
  })
  lifecycle.onStop('producer', () => producer.close())
  const health = createLogHealth({ producer, logger })
  lifecycle.onStop('log health', () => Promise.resolve(health.stop()))
  void schema.learn()
  const notReady = (): string[] => [
    ...(schema.id() === null ? ['decision schema'] : []),
    ...(health.isHealthy() ? [] : ['log'])
  ]
  return { producer, schemaId: () => schema.id(), notReady }
}
