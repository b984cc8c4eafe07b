/** Starts a gateway: connections first, traffic last; the stop runs the other way. */
import type { AddressInfo } from 'node:net'
import { createKafkaProducer } from '../platform/kafka-producer.ts'
import type { Lifecycle } from '../platform/lifecycle.ts'
import type { Logger } from '../platform/logger.ts'
import { close, listen, startManagement } from '../platform/management.ts'
import { createMetrics } from '../platform/metrics.ts'
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

export async function startGateway({ config, logger, lifecycle }: GatewayContext): Promise<void> {
  const metrics = createMetrics()
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
  const rateLimiter = createRateLimiter({ redis, onLocal })

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
  const log = createLogHealth({ producer, logger })
  lifecycle.onStop('log health', () => Promise.resolve(log.stop()))

  const { app, drain } = createGatewayApp({
    ...{ config, logger, lifecycle, metrics, postgres, rateLimiter, producer },
    schemaId: () => schema.id()
  })
  lifecycle.onStop('in-flight records', drain)
  const management = await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    metrics,
    notReady: () => [
      ...(schema.id() === null ? ['decision schema'] : []),
      ...(log.isHealthy() ? [] : ['log']),
      ...(lifecycle.isStopping() ? ['stopping'] : [])
    ]
  })
  lifecycle.onStop('management port', () => management.close())

  const server = createGatewayServer(app)
  await listen(server, { host: config.GATEWAY_HOST, port: config.GATEWAY_PORT })
  lifecycle.onStop('traffic', () => close(server))
  lifecycle.onStop('readiness', () => new Promise((resolve) => setTimeout(resolve, unreadyMs)))
  void schema.learn()
  const { port } = server.address() as AddressInfo
  logger.info(
    { port, management_port: management.port, routes: config.GATEWAY_ROUTES },
    'listening'
  )
}
