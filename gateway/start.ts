/** Starts a gateway: connections first, traffic last; the stop runs the other way. */
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
import { createDoor } from '../http/admission/door.ts'
import type { Door } from '../http/admission/door.ts'
import { openFacts } from '../usage/open-facts.ts'
import { createLogHealth } from './ingest/log-health.ts'
import { noLog } from './ingest/no-log.ts'
import { createGatewayServer } from '../http/server.ts'
import { createTellAbsence } from '../platform/telemetry/tell-absence.ts'
import type { TellAbsence } from '../platform/telemetry/tell-absence.ts'

export interface GatewayContext {
  readonly config: GatewayConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  /** To the primary of a worker, which then has the management port; null without one. */
  readonly link: PrimaryLink | null
}

const connectionsMax = 10
/** For keys that are known, for those that are not, and for when they were used. */
const keyConnectionsMax = 3
const statementTimeoutMs = 5000
/** A fleet that comes back all at once finds its connections taken; the kernel may allow fewer. */
const backlog = 4096

export async function startGateway(context: GatewayContext): Promise<void> {
  const { config, logger, lifecycle } = context
  const metrics = createMetrics()
  const stores = openStores(context, metrics)
  const log = openLog(context)
  const door = openDoor(context, metrics)
  const isLeaving = (): boolean => lifecycle.isStopping() || context.link?.isLeaving() === true
  const { app, drain } = createGatewayApp({
    ...{ config, logger, lifecycle, metrics, ...stores },
    producer: log.producer,
    schemaId: log.schemaId,
    door,
    isLeaving
  })
  lifecycle.onStop('in-flight records', drain)
  let isListening = false
  const awaited = (): string[] => [
    ...log.notReady(),
    ...(lifecycle.isStopping() ? ['stopping'] : [])
  ]
  // Balancers send to who is ready, so a port that refuses connections is not.
  const notReady = (): string[] => [...awaited(), ...(isListening ? [] : ['traffic port'])]
  measureProcess(metrics, () => notReady().length === 0)
  const observedAt = await openManagement(context, { metrics, notReady })

  const server = createGatewayServer({
    ...{ app, door, metrics, clock: systemClock },
    cors: createCors(config.CORS_ORIGINS),
    limits: {
      connectionsMax: config.CONNECTIONS_MAX,
      headersTimeoutMs: config.HEADERS_TIMEOUT_MS,
      requestTimeoutMs: config.REQUEST_TIMEOUT_MS
    }
  })
  const { GATEWAY_HOST: host, GATEWAY_PORT: ownPort } = config
  // Traffic comes all at once, and a gateway that is new knows no key.
  await stores.connected()
  if (context.link !== null) await waitUntilReady(awaited, lifecycle.stopping)
  await listen(server, { host, port: ownPort, setting: 'GATEWAY_PORT', backlog })
  isListening = true
  // Asked for at once: a stop that came meanwhile closes the server as it is registered.
  const { port } = server.address() as AddressInfo
  context.link?.serves()
  lifecycle.onStop('traffic', () => close(server))
  // From "not ready" to "not accepting": balancers have to notice first. The primary waits for
  // them before it tells its workers.
  const unreadyMs = config.SHUTDOWN_UNREADY_MS
  if (context.link === null) lifecycle.onStop('readiness', () => sleep(unreadyMs))
  logger.info({ port, ...observedAt, routes: config.GATEWAY_ROUTES }, 'listening')
}

interface Observed {
  readonly metrics: ProcessMetrics
  readonly notReady: Readiness
}

/** Returns what to log of it. */
async function openManagement(context: GatewayContext, observed: Observed): Promise<object> {
  const { config, logger, lifecycle, link } = context
  if (link !== null) {
    link.report(observed)
    return {}
  }
  const management = await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    ...{ ...observed, logger }
  })
  lifecycle.onStop('management port', () => management.close())
  return { management_port: management.port }
}

function openDoor({ config }: GatewayContext, metrics: Metrics): Door {
  return createDoor({
    requestsMax: config.REQUESTS_MAX,
    bodyBytesMax: config.BODY_BYTES_MAX,
    responseTimeoutMs: config.RESPONSE_TIMEOUT_MS,
    metrics
  })
}

/** Where keys and limits are; a gateway starts and lives without either. */
function openStores({ config, lifecycle, logger }: GatewayContext, metrics: Metrics) {
  const address = { url: config.DATABASE_URL, ca: config.DATABASE_TLS_CA, statementTimeoutMs }
  const postgres = createPostgres({
    ...{ ...address, applicationName: 'sluice-gateway', connectionsMax }
  })
  lifecycle.onStop('postgres', () => postgres.close())
  // Slow reads of one tenant hold up nobody's key.
  const keyStore = createPostgres({
    ...{ ...address, applicationName: 'sluice-gateway-keys', connectionsMax: keyConnectionsMax }
  })
  lifecycle.onStop('store of keys', () => keyStore.close())
  const redis = createRedis(config.REDIS_URL, config.REDIS_TLS_CA)
  const tellRedis = createTellAbsence(logger, 'Redis')
  redis.on('error', tellRedis.away).on('ready', tellRedis.back)
  lifecycle.onStop('redis', () => {
    redis.off('error', tellRedis.away)
    return Promise.resolve(redis.disconnect())
  })
  const windows = createSharedWindows(redis)
  const keyChanges = createRedis(config.REDIS_URL, config.REDIS_TLS_CA)
  const keys = openApiKeys({
    ...{ postgres: keyStore, redis: keyChanges, publisher: redis, metrics, lifecycle }
  })
  const factStore = createRedis(config.REDIS_URL, config.REDIS_TLS_CA)
  const problems = [...ingestOperation.problems, 'invalid_batch', 'internal_error']
  const facts = openFacts({ redis: factStore, metrics, lifecycle, problems, dropReasons })
  const tell = tellFrozen(redis, tellRedis)
  const rateLimiter = createRateLimiter({ windows, metrics, tell })
  return { postgres, ...keys, ...facts, rateLimiter, oneTimeValues: createOneTimeValues(redis) }
}

/** A Redis that is frozen breaks no connection, so only who asked it knows. */
function tellFrozen(redis: { readonly status: string }, tell: TellAbsence): TellAbsence {
  const isConnected = (): boolean => redis.status === 'ready'
  return {
    away: (error) => isConnected() && tell.away(error),
    back: () => isConnected() && tell.back()
  }
}

/** The log and its schema; until both have answered the gateway is not ready. */
function openLog({ config, logger, lifecycle }: GatewayContext) {
  const { KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: registryUrl } = config
  if (brokers === null || registryUrl === null) return noLog
  const topic = config.DECISIONS_TOPIC
  const registry = createRegistry(registryUrl, config.SCHEMA_REGISTRY_TLS_CA)
  const schema = createDecisionSchema({ registry, topic, logger })
  lifecycle.onStop('schema', () => Promise.resolve(schema.stop()))
  const kafka = {
    brokers,
    clientId: 'sluice-gateway',
    topics: [topic],
    security: kafkaSecurityOf(config)
  }
  const producer = createKafkaProducer({ ...kafka, deadlineMs: config.PRODUCE_DEADLINE_MS })
  lifecycle.onStop('producer', () => producer.close())
  const probe = createKafkaProbe(kafka)
  lifecycle.onStop('log probe', () => probe.close())
  const health = createLogHealth({ probe, producer, logger })
  lifecycle.onStop('log health', () => Promise.resolve(health.stop()))
  void schema.learn()
  const notReady = (): string[] => [
    ...(schema.id() === null ? ['decision schema'] : []),
    ...(health.isHealthy() ? [] : ['log'])
  ]
  return { producer, schemaId: () => schema.id(), notReady }
}
