/** Assembles the gateway: the ingest steps, the API handlers and the routes. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BufferPool } from '../platform/process/buffer-pool.ts'
import { systemClock } from '../platform/process/clock.ts'
import type { Lifecycle } from '../platform/process/lifecycle.ts'
import type { Logger } from '../platform/telemetry/logger.ts'
import { createMail } from '../platform/process/mail.ts'
import type { Mail } from '../platform/process/mail.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { createOutbound } from '../platform/http-client/outbound.ts'
import type { OneTimeValues } from '../platform/redis/one-time-values.ts'
import type { PostgresPool } from '../platform/postgres/postgres.ts'
import type { RateLimiter } from '../platform/rate-limit/rate-limiter.ts'
import type { EncodedProducer } from '../platform/kafka/producer/encoded-records.ts'
import { createSessionTokens } from '../platform/security/session-token.ts'
import { createLiveSessions } from '../auth/live-sessions.ts'
import { createAuthenticateSession } from '../auth/authenticate-session.ts'
import { createChecked } from '../auth/checked.ts'
import { createPoll } from '../api/poll.ts'
import { createReadEvaluations } from '../api/read-evaluations.ts'
import { pushScores } from '../api/results/scores/push-scores.ts'
import { bindRoutes } from '../api/routes.ts'
import type { Services } from '../api/services.ts'
import { createPostWebhook } from '../platform/http-client/post-webhook.ts'
import { createSecrets } from '../api/configuration/secrets.ts'
import { createStore } from '../api/store.ts'
import type { Store } from '../api/store.ts'
import { createStreams } from '../api/streams/streams.ts'
import { createFairShare } from '../http/admission/fair-share.ts'
import type { FairShare, FairShareOptions } from '../http/admission/fair-share.ts'
import { createApp } from '../http/app.ts'
import type { FindApiKey } from '../auth/api-keys.ts'
import { createAuthenticate } from '../auth/authenticate.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import type { GatewayConfig } from './config.ts'
import type { HttpLimits } from '../http/admission/http-limits.ts'
import { passwords } from '../api/accounts/passwords.ts'
import { createSuccessionKey } from '../api/accounts/refresh.ts'
import { isKnownNetwork } from '../api/accounts/sessions.ts'
import { createThrottle } from '../api/accounts/throttle.ts'
import type { UsageCounters } from '../usage/usage.ts'
import type { ReadUsage } from '../usage/read-usage.ts'
import { createTenantCompute } from '../api/evaluators/tenant-compute.ts'
import type { TenantCompute } from '../api/evaluators/tenant-compute.ts'
import { createConsole } from '../http/console.ts'
import { createCors } from '../http/cors.ts'
import { createDocs } from '../http/docs.ts'
import { createBatchOutcomes } from './ingest/batch-outcomes.ts'
import { createTakeClientReport } from './ingest/client-report.ts'
import { createEncoder } from './ingest/encode.ts'
import { createIngestBatch } from './ingest/ingest-batch.ts'
import { createIngest } from './ingest/ingest.ts'
import { loadKernel } from './ingest/kernel/kernel.ts'
import { createReadCertain } from './ingest/kernel/read-certain.ts'
import { createLimitAgents } from './ingest/limit-agent.ts'
import { createLimitRate } from './ingest/limit-rate.ts'
import { createCountUsage } from './ingest/count-usage.ts'
import { createOutcomes } from './ingest/outcomes.ts'
import { createProduce } from './ingest/produce.ts'
import { createExport } from './otlp/export.ts'
import { createPushSpanScores } from './otlp/push-span-scores.ts'
import type { PushSpanScores } from './otlp/push-span-scores.ts'
import { createReadDecisions } from './ingest/read-decisions.ts'
import { createValidate } from './ingest/validate.ts'
import { openApiOf } from '../http/openapi.ts'
import { createReportRejections } from '../http/admission/report-rejections.ts'
import type { ReportRejection } from '../http/admission/report-rejections.ts'
import type { Handle } from '../http/route.ts'
import { ingestRoutes } from './routes.ts'

interface GatewayParts {
  readonly config: GatewayConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly metrics: Metrics
  readonly postgres: PostgresPool
  readonly oneTimeValues: OneTimeValues
  readonly findApiKey: FindApiKey
  readonly noteUse: (keyId: string) => void
  /**
   * Notifies this gateway and the others that a key has changed, because they cache keys for a few
   * seconds.
   */
  readonly notifyKeyChange: (keyId: string) => void
  readonly rateLimiter: RateLimiter
  readonly producer: EncodedProducer
  readonly schemaId: () => number | null
  readonly httpLimits: HttpLimits
  /** Returns true while responses must close their connections. Default: true during shutdown. */
  readonly isLeaving?: () => boolean
  readonly usage: UsageCounters
  readonly readUsage: ReadUsage
  /** Maximum number of long-polling calls in progress. Default: 250. */
  readonly waitsMax?: number
}

/**
 * Limits bodies above 256 KiB, per organization. The queue is bounded, because it is in memory. The
 * pause after each body is long, because storing and evaluating a large body costs more than
 * accepting it.
 */
const longBodies: FairShareOptions = {
  what: 'bodies above 256 KiB',
  atOnceMax: 1,
  waitingMax: 32,
  waitMsMax: 10_000,
  pause: (workedMs) => Math.min(20 * workedMs, 3000)
}
/** Limits calls without a credential, per network. A queue of 50 logins takes 3 s. */
const openCalls = {
  what: 'calls without a credential',
  atOnceMax: 2,
  waitingMax: 50,
  waitMsMax: 3000
}
/** Maximum number of queued calls without a credential, as a fraction of REQUESTS_MAX. */
const openCallsPart = 1 / 4
const consoleFolder = join(import.meta.dirname, '..', 'console', 'dist')
const clock = systemClock
const elapsedMs = (): number => performance.now()

export function createGatewayApp(parts: GatewayParts) {
  const { config, logger, lifecycle, metrics, httpLimits } = parts
  const { findApiKey, noteUse, isLeaving = lifecycle.isStopping } = parts
  const pepper = config.API_KEY_PEPPER
  const authenticate = createAuthenticate({ findApiKey, pepper, clock, noteUse })
  const store = createStore(parts.postgres)
  const sessions = openSessions(config, store)
  const authenticateSession = createAuthenticateSession(sessions)
  const shareLong = createFairShare(longBodies)
  const shareOpen = createFairShare({
    ...openCalls,
    waitingOfAllMax: config.REQUESTS_MAX * openCallsPart
  })
  const compute = createTenantCompute()
  lifecycle.onStop('compute thread', () => compute.close())
  const checked = createChecked({
    authenticateKey: authenticate,
    authenticateSession,
    shareLong,
    shareOpen,
    refuseSpent: compute.allowance.refuseSpent
  })
  const reportRejection = createReportRejections({ logger, metrics, elapsedMs })
  const scored = { store, decisionsTopic: config.DECISIONS_TOPIC, clock }
  const pushSpanScores = createPushSpanScores({
    pushScores: (principal, scores) => pushScores(principal, scores, scored),
    clock,
    pause
  })
  const shared = { authenticate, reportRejection, shareLong, pushSpanScores }
  const { drain, ...handlers } = createIngestPaths(parts, shared)
  const services = createServices(parts, { store, ...handlers, compute, ...sessions })
  const all = [...ingestRoutes(handlers), ...bindRoutes(services, checked)]
  const routes = all.filter(
    ({ surface }) => config.GATEWAY_ROUTES === 'all' || config.GATEWAY_ROUTES === surface
  )
  const docs = config.DOCS_ENABLED ? createDocs(openApiOf(routes)) : null
  const app = createApp({
    routes,
    docs,
    console: servesConsole(config) ? createConsole(consoleFolder) : null,
    httpLimits,
    metrics,
    logger,
    clock,
    isLeaving,
    cors: createCors(config.CORS_ORIGINS),
    trustedProxies: config.TRUSTED_PROXIES,
    reportRejection
  })
  return { app, drain }
}

function servesConsole({ CONSOLE_ENABLED, GATEWAY_ROUTES }: GatewayConfig): boolean {
  return CONSOLE_ENABLED && GATEWAY_ROUTES !== 'ingest'
}

interface SharedByIngest {
  readonly authenticate: Authenticate
  readonly reportRejection: ReportRejection
  readonly shareLong: FairShare
  readonly pushSpanScores: PushSpanScores
}

function createIngestPaths(parts: GatewayParts, shared: SharedByIngest) {
  const { authenticate, reportRejection, shareLong, pushSpanScores } = shared
  const { config, logger, metrics, producer, rateLimiter, schemaId, usage } = parts
  const limitOf = (points: number) => ({ points, windowSeconds: config.RATE_LIMIT_WINDOW_SECONDS })
  const defaultLimit = limitOf(config.RATE_LIMIT_POINTS)
  const { limitRate, limitWhole, findSpent } = createLimitRate({ rateLimiter, defaultLimit })
  const agentLimit = limitOf(config.AGENT_RATE_LIMIT_POINTS)
  const { produce, drain } = createProduce({
    producer,
    metrics,
    lingerMs: config.PRODUCE_LINGER_MS,
    deadlineMs: config.PRODUCE_DEADLINE_MS,
    inFlightBytesMax: config.IN_FLIGHT_BYTES_MAX
  })
  const countUsage = createCountUsage({ usage, clock })
  const outcomes = createOutcomes({ limitRate, metrics, usage: countUsage })
  const encoder = createEncoder({ schemaId, metrics })
  const { readOne, readBatch } = createReadDecisions({
    readCertain: createReadCertain({
      kernel: loadKernel(),
      pool: new BufferPool(),
      encoder,
      clock,
      metrics
    }),
    validate: createValidate({ clock, metrics }),
    encoder
  })
  const { limitAgents, takeAgents } = createLimitAgents({ rateLimiter, limit: agentLimit })
  const steps = { authenticate, findSpent, shareLong, limitRate, limitAgents, produce }
  const counted = { outcomes, usage: countUsage, metrics, reportRejection }
  const limited = { ...steps, limitWhole, takeAgents }
  const exported = { ...limited, ...counted, readBatch, pushSpanScores, logger }
  return {
    ingest: createIngest({ ...steps, readOne, outcomes }),
    ingestBatch: createIngestBatch({
      ...steps,
      readBatch,
      takeClientReport: createTakeClientReport({ metrics, usage }),
      outcomes: createBatchOutcomes({ ...counted, limitRate })
    }),
    traces: createExport('traces', exported),
    logs: createExport('logs', exported),
    drain
  }
}

function openSessions(config: GatewayConfig, store: Store) {
  const { SESSION_SIGNING_KEY: signingKey, SESSION_VERIFICATION_KEYS: verificationKeys } = config
  return {
    sessionTokens: createSessionTokens({ signingKey, verificationKeys, clock }),
    liveSessions: createLiveSessions({ accounts: store.accounts, elapsedMs })
  }
}

function openMail({ config, logger, metrics, lifecycle }: GatewayParts): Mail {
  const { MAIL_URL: url, MAIL_FROM: from } = config
  const mail = createMail({ url, from, logger, metrics, clock })
  lifecycle.onStop('emails', () => mail.close())
  return mail
}

type Shared = { store: Store; ingest: Handle; compute: TenantCompute } & ReturnType<
  typeof openSessions
>

function createServices(
  parts: GatewayParts,
  { store, ingest, compute, ...sessions }: Shared
): Omit<Services, 'shareReads'> {
  const { config, lifecycle, rateLimiter, notifyKeyChange, waitsMax, readUsage } = parts
  const poll = createPoll({ stopping: lifecycle.stopping, waitingMax: waitsMax })
  const { DECISIONS_TOPIC: decisionsTopic, EVALUATIONS_TOPIC: evaluationsTopic } = config
  const shared = { store, poll, clock, decisionsTopic, evaluationsTopic }
  const reads = { ...shared, ...createReadEvaluations() }
  const outbound = createOutbound({ privateAddressesAllowed: config.PRIVATE_ADDRESSES_ALLOWED })
  const mail = openMail(parts)
  lifecycle.onStop('judge requests', () => outbound.close())
  const postWebhook = createPostWebhook({ outbound, clock })
  return {
    config,
    ...reads,
    compute,
    outbound,
    secrets: createSecrets(config.SECRETS_KEY),
    postWebhook,
    rateLimiter,
    readUsage,
    notifyKeyChange,
    ingest,
    mail,
    ...sessions,
    passwords,
    throttle: createThrottle(rateLimiter, (email, network) =>
      isKnownNetwork(store.accounts, email, network)
    ),
    successionKey: createSuccessionKey(config.SESSION_SIGNING_KEY),
    oneTimeValues: parts.oneTimeValues,
    streams: createStreams({
      ...parts,
      ...shared,
      liveSessions: sessions.liveSessions,
      stopping: lifecycle.stopping,
      streamsMax: config.STREAMS_MAX,
      secret: config.API_KEY_PEPPER
    })
  }
}
