/** Starts a gateway: opens connections first and accepts traffic last. Shutdown reverses the order.
 */
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKafkaProbe } from '../platform/kafka/kafka-probe.ts'
import { systemClock } from '../platform/process/clock.ts'
import { createKafkaProducer } from '../platform/kafka/producer/kafka-producer.ts'
import { kafkaSecurityOf } from '../platform/kafka/kafka-security.ts'
import type { Lifecycle } from '../platform/process/lifecycle.ts'
import type { Logger } from '../platform/telemetry/logger.ts'
import { close, listen, startManagement } from '../platform/telemetry/management.ts'
import type { Readiness } from '../platform/telemetry/management.ts'
import { createMetrics } from '../platform/telemetry/metrics.ts'
import { createOneTimeValues } from '../platform/redis/one-time-values.ts'
import type { Metrics, ProcessMetrics } from '../platform/telemetry/metrics.ts'
import { createPostgres } from '../platform/postgres/postgres.ts'
import { measureProcess } from '../platform/telemetry/process-metrics.ts'
import { createRateLimiter } from '../platform/rate-limit/rate-limiter.ts'
import { createRedis } from '../platform/redis/redis.ts'
import { createRegistry } from '../platform/registry/schema-registry.ts'
import { createSharedWindows } from '../platform/redis/shared-windows.ts'
import type { PrimaryLink } from './cluster/primary-link.ts'
import { waitUntilReady } from './cluster/wait-until-ready.ts'
import { openApiKeys } from '../auth/open-api-keys.ts'
import { createCors } from '../http/cors.ts'
import { createGatewayApp } from './create.ts'
import type { GatewayConfig } from './config.ts'
import { dropReasons } from './ingest/client-report.ts'
import { createDecisionSchema } from './ingest/decision-schema.ts'
import { ingestOperation } from './ingest/ingest.operation.ts'
import { createHttpLimits } from '../http/admission/http-limits.ts'
import type { HttpLimits } from '../http/admission/http-limits.ts'
import { openUsage } from '../usage/open-usage.ts'
import { createKafkaHealth } from './ingest/kafka-health.ts'
import { noKafka } from './ingest/no-kafka.ts'
import { createGatewayServer } from '../http/server.ts'
import { createLogUnavailable } from '../platform/telemetry/log-unavailable.ts'
import type { LogUnavailable } from '../platform/telemetry/log-unavailable.ts'

interface GatewayContext {
  readonly config: GatewayConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  /**
   * A worker's link to its primary, which serves the management port. Null in a single process.
   */
  readonly link: PrimaryLink | null
}

const connectionsMax = 10
/**
 * Maximum number of connections in the pool for API keys: one for known keys, one for unknown keys,
 * and one for recording uses.
 */
const keyConnectionsMax = 3
const statementTimeoutMs = 5000
/**
 * Maximum number of connections that wait to be accepted: enough for a fleet that reconnects
 * simultaneously. The kernel may allow fewer.
 */
const backlog = 4096

export async function startGateway(context: GatewayContext): Promise<void> {
  const { config, logger, lifecycle } = context
  const metrics = createMetrics()
  const connections = openConnections(context, metrics)
  const kafka = openKafka(context)
  const httpLimits = openHttpLimits(context, metrics)
  const isLeaving = (): boolean => lifecycle.isStopping() || context.link?.isLeaving() === true
  const { app, drain } = createGatewayApp({
    config,
    logger,
    lifecycle,
    metrics,
    ...connections,
    producer: kafka.producer,
    schemaId: kafka.schemaId,
    httpLimits,
    isLeaving
  })
  lifecycle.onStop('in-flight records', drain)
  let isListening = false
  const notStarted = (): string[] => [
    ...kafka.notReady(),
    ...(lifecycle.isStopping() ? ['stopping'] : [])
  ]
  // Reports "not ready" until the port is open, because load balancers send traffic to ready
  // instances.
  const notReady = (): string[] => [...notStarted(), ...(isListening ? [] : ['traffic port'])]
  measureProcess(metrics, () => notReady().length === 0)
  const managementFields = await openManagement(context, { metrics, notReady })

  const server = createGatewayServer({
    app,
    httpLimits,
    metrics,
    clock: systemClock,
    cors: createCors(config.CORS_ORIGINS),
    limits: {
      connectionsMax: config.CONNECTIONS_MAX,
      headersTimeoutMs: config.HEADERS_TIMEOUT_MS,
      requestTimeoutMs: config.REQUEST_TIMEOUT_MS
    }
  })
  const { GATEWAY_HOST: host, GATEWAY_PORT: ownPort } = config
  // Connects first, because traffic begins as soon as the port is open, and a new gateway has no
  // keys cached.
  await connections.connected()
  if (context.link !== null) await waitUntilReady(notStarted, lifecycle.stopping)
  await listen(server, { host, port: ownPort, setting: 'GATEWAY_PORT', backlog })
  isListening = true
  // Reads the port before `onStop`, which closes the server immediately if shutdown has already
  // begun.
  const { port } = server.address() as AddressInfo
  context.link?.serves()
  lifecycle.onStop('traffic', () => close(server))
  // Keeps the port open for a while after reporting "not ready", so that load balancers can react.
  // In a cluster, the primary waits instead, before it stops its workers.
  const unreadyMs = config.SHUTDOWN_UNREADY_MS
  if (context.link === null) lifecycle.onStop('readiness', () => sleep(unreadyMs))
  logger.info({ port, ...managementFields, routes: config.GATEWAY_ROUTES }, 'listening')
}

interface Observed {
  readonly metrics: ProcessMetrics
  readonly notReady: Readiness
}

/** Opens the management port, or begins reporting to the primary. Returns fields for the log. */
async function openManagement(context: GatewayContext, observed: Observed): Promise<object> {
  const { config, logger, lifecycle, link } = context
  if (link !== null) {
    link.report(observed)
    return {}
  }
  const management = await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    ...observed,
    logger
  })
  lifecycle.onStop('management port', () => management.close())
  return { management_port: management.port }
}

function openHttpLimits({ config }: GatewayContext, metrics: Metrics): HttpLimits {
  return createHttpLimits({
    requestsMax: config.REQUESTS_MAX,
    bodyBytesMax: config.BODY_BYTES_MAX,
    responseTimeoutMs: config.RESPONSE_TIMEOUT_MS,
    metrics
  })
}

/** Opens Postgres and Redis. A gateway can start and run without either. */
function openConnections({ config, lifecycle, logger }: GatewayContext, metrics: Metrics) {
  const address = { url: config.DATABASE_URL, ca: config.DATABASE_TLS_CA, statementTimeoutMs }
  const postgres = createPostgres({
    ...address,
    applicationName: 'sluice-gateway',
    connectionsMax
  })
  lifecycle.onStop('postgres', () => postgres.close())
  // Uses a separate pool, so that slow reads do not delay key lookups.
  const keyPostgres = createPostgres({
    ...address,
    applicationName: 'sluice-gateway-keys',
    connectionsMax: keyConnectionsMax
  })
  lifecycle.onStop('API key Postgres pool', () => keyPostgres.close())
  const redis = createRedis(config.REDIS_URL, config.REDIS_TLS_CA)
  const redisLog = createLogUnavailable(logger, 'Redis')
  redis.on('error', redisLog.unavailable).on('ready', redisLog.available)
  lifecycle.onStop('redis', () => {
    redis.off('error', redisLog.unavailable)
    return Promise.resolve(redis.disconnect())
  })
  const windows = createSharedWindows(redis)
  const keyChanges = createRedis(config.REDIS_URL, config.REDIS_TLS_CA)
  const keys = openApiKeys({
    postgres: keyPostgres,
    redis: keyChanges,
    publisher: redis,
    metrics,
    lifecycle
  })
  const usageRedis = createRedis(config.REDIS_URL, config.REDIS_TLS_CA)
  const problems = [...ingestOperation.problems, 'invalid_batch', 'internal_error']
  const usage = openUsage({ redis: usageRedis, metrics, lifecycle, problems, dropReasons })
  const listener = logWhileConnected(redis, redisLog)
  const rateLimiter = createRateLimiter({ windows, metrics, listener })
  return { postgres, ...keys, ...usage, rateLimiter, oneTimeValues: createOneTimeValues(redis) }
}

/**
 * Logs failed commands while Redis is connected. A frozen Redis keeps its connections open, so only
 * a failed command reveals it.
 */
function logWhileConnected(
  redis: { readonly status: string },
  log: LogUnavailable
): LogUnavailable {
  const isConnected = (): boolean => redis.status === 'ready'
  return {
    unavailable: (error) => isConnected() && log.unavailable(error),
    available: () => isConnected() && log.available()
  }
}

/** Opens Kafka and the schema registry. The gateway is not ready until both have answered. */
function openKafka({ config, logger, lifecycle }: GatewayContext) {
  const { KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: registryUrl } = config
  if (brokers === null || registryUrl === null) return noKafka
  const topic = config.DECISIONS_TOPIC
  const registry = createRegistry(registryUrl, config.SCHEMA_REGISTRY_TLS_CA)
  const schema = createDecisionSchema({ registry, topic, logger })
  lifecycle.onStop('schema', () => Promise.resolve(schema.stop()))
  const kafka = { brokers, clientId: 'sluice-gateway', security: kafkaSecurityOf(config) }
  const producer = createKafkaProducer({
    ...kafka,
    topic,
    deadlineMs: config.PRODUCE_DEADLINE_MS
  })
  lifecycle.onStop('producer', () => producer.close())
  const probe = createKafkaProbe({ ...kafka, topics: [topic] })
  lifecycle.onStop('Kafka probe', () => probe.close())
  const health = createKafkaHealth({ probe, producer, logger })
  lifecycle.onStop('Kafka health', () => Promise.resolve(health.stop()))
  void schema.learn()
  const notReady = (): string[] => [
    ...(schema.id() === null ? ['decision schema'] : []),
    ...(health.isHealthy() ? [] : ['kafka'])
  ]
  return { producer, schemaId: () => schema.id(), notReady }
}
