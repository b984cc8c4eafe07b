/** Puts the steps, the handlers and the routes together. */
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
import type { RoutingProducer } from '../platform/kafka/record-producer.ts'
import { createSessionTokens } from '../platform/security/session-token.ts'
import { createLiveSessions } from '../auth/live-sessions.ts'
import { createAuthenticateSession } from '../auth/authenticate-session.ts'
import { createChecked } from '../auth/checked.ts'
import { createPoll } from '../api/poll.ts'
import { createDecisions } from '../api/decisions/create-decisions.ts'
import { createReadEvaluation } from '../api/results/read-evaluation.ts'
import { createReadEvaluations } from '../api/read-evaluations.ts'
import { createReadReceipt } from '../api/decisions/read-receipt.ts'
import { createResults } from '../api/results/create-results.ts'
import { createProfiles } from '../api/profiles/create-profiles.ts'
import { createReadStats } from '../api/stats/read-stats.ts'
import { shareCalls } from '../api/shared-calls.ts'
import { createStore } from '../api/store.ts'
import type { Store } from '../api/store.ts'
import { createStreams } from '../api/streams/create-streams.ts'
import { createFairShare } from '../http/admission/fair-share.ts'
import type { FairShare, FairShareOptions } from '../http/admission/fair-share.ts'
import { createApp } from '../http/app.ts'
import type { FindApiKey } from '../auth/api-keys.ts'
import { createAuthenticate } from '../auth/authenticate.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import type { GatewayConfig } from './config.ts'
import type { Door } from '../http/admission/door.ts'
import { createAccounts } from '../api/accounts/create-accounts.ts'
import type { Facts } from '../usage/facts.ts'
import type { ReadFacts } from '../usage/read-facts.ts'
import { createConfiguration } from '../api/configuration/create-configuration.ts'
import { createTenantCompute } from '../api/evaluators/tenant-compute.ts'
import type { TenantCompute } from '../api/evaluators/tenant-compute.ts'
import { createOrganizationHandlers } from '../api/organization/create-organization.ts'
import { createOnboarding } from '../api/onboarding/create-onboarding.ts'
import { createCors } from '../http/cors.ts'
import { createDocs } from '../http/docs.ts'
import { createBatchOutcomes } from './ingest/batch-outcomes.ts'
import { createTakeClientReport } from './ingest/client-report.ts'
import { createEncode } from './ingest/encode.ts'
import { createIngestBatch } from './ingest/ingest-batch.ts'
import { createIngest } from './ingest/ingest.ts'
import { createLimitAgent } from './ingest/limit-agent.ts'
import { createLimitRate } from './ingest/limit-rate.ts'
import { createNoteFacts } from './ingest/note-facts.ts'
import { createOutcomes } from './ingest/outcomes.ts'
import { createProduce } from './ingest/produce.ts'
import { createValidate } from './ingest/validate.ts'
import { openApiOf } from '../http/openapi.ts'
import { createReportRefusals } from '../http/admission/report-refusals.ts'
import type { ReportRefusal } from '../http/admission/report-refusals.ts'
import type { Handle } from '../http/route.ts'
import { createRoutes } from './routes.ts'
import type { Handlers } from './routes.ts'

export interface GatewayParts {
  readonly config: GatewayConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly metrics: Metrics
  readonly postgres: PostgresPool
  readonly oneTimeValues: OneTimeValues
  readonly findApiKey: FindApiKey
  readonly noteUse: (keyId: string) => void
  /** Gateways know keys for some seconds: they are told of what has changed. */
  readonly tellKeyChange: (keyId: string) => void
  readonly rateLimiter: RateLimiter
  readonly producer: RoutingProducer
  readonly schemaId: () => number | null
  readonly door: Door
  /** Whether each answer closes its connection; without it, once the process stops. */
  readonly isLeaving?: () => boolean
  readonly facts: Facts
  readonly readFacts: ReadFacts
  /** Calls that may wait for something to be stored; some hundreds without it. */
  readonly waitsMax?: number
}

/**
 * Bodies above 256 KiB, of each organization. One that waits is held in memory. Pauses are long,
 * because storing, evaluating or trying a large body costs more than reading it.
 */
const longBodies: FairShareOptions = {
  what: 'bodies above 256 KiB',
  ...{ atOnceMax: 1, waitingMax: 32, waitMsMax: 10_000 },
  pause: (workedMs) => Math.min(20 * workedMs, 3000)
}
/** Calls without a credential, of each network, which may be a whole office. 50 logins take 3 s. */
const openCalls = {
  ...{ what: 'calls without a credential', atOnceMax: 2, waitingMax: 50, waitMsMax: 3000 }
}
/** Of all requests in progress, those without a credential that wait. */
const openCallsPart = 1 / 4
const clock = systemClock
const elapsedMs = (): number => performance.now()

export function createGatewayApp(parts: GatewayParts) {
  const { config, logger, lifecycle, metrics, door } = parts
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
  lifecycle.onStop('the compute thread', () => compute.close())
  const checked = createChecked({
    ...{ authenticateKey: authenticate, authenticateSession, shareLong, shareOpen },
    refuseSpent: compute.allowance.refuseSpent
  })
  const reportRefusal = createReportRefusals({ logger, metrics, elapsedMs })
  const shared = { authenticate, reportRefusal, shareLong }
  const { ingest, ingestBatch, drain } = createIngestLines(parts, shared)
  const reads = createReads(parts, { store, ingest, compute, ...sessions })
  const handlers = { ingest, ingestBatch, ...shareCalls(reads) }

  const routes = createRoutes(handlers, checked).filter(
    ({ surface }) => config.GATEWAY_ROUTES === 'all' || config.GATEWAY_ROUTES === surface
  )
  const docs = config.DOCS_ENABLED ? createDocs(openApiOf(routes)) : null
  const app = createApp({
    ...{ routes, docs, door, metrics, logger, clock, isLeaving },
    cors: createCors(config.CORS_ORIGINS),
    trustedProxies: config.TRUSTED_PROXIES,
    reportRefusal
  })
  return { app, drain }
}

interface SharedByIngest {
  readonly authenticate: Authenticate
  readonly reportRefusal: ReportRefusal
  readonly shareLong: FairShare
}

function createIngestLines(
  parts: GatewayParts,
  { authenticate, reportRefusal, shareLong }: SharedByIngest
) {
  const { config, metrics, producer, rateLimiter, schemaId, facts } = parts
  const limitOf = (points: number) => ({ points, windowSeconds: config.RATE_LIMIT_WINDOW_SECONDS })
  const defaultLimit = limitOf(config.RATE_LIMIT_POINTS)
  const { limitRate, findSpent } = createLimitRate({ rateLimiter, defaultLimit })
  const agentLimit = limitOf(config.AGENT_RATE_LIMIT_POINTS)
  const { produce, produceEach, drain } = createProduce({
    producer,
    metrics,
    lingerMs: config.PRODUCE_LINGER_MS,
    deadlineMs: config.PRODUCE_DEADLINE_MS,
    inFlightBytesMax: config.IN_FLIGHT_BYTES_MAX
  })
  const noteFacts = createNoteFacts({ facts, clock })
  const outcomes = createOutcomes({ limitRate, metrics, facts: noteFacts })
  const steps = {
    authenticate,
    findSpent,
    shareLong,
    validate: createValidate({ clock, metrics }),
    limitRate,
    limitAgent: createLimitAgent({ rateLimiter, limit: agentLimit }),
    encode: createEncode({ topic: config.DECISIONS_TOPIC, schemaId, metrics })
  }
  return {
    ingest: createIngest({ ...steps, produce, outcomes }),
    ingestBatch: createIngestBatch({
      ...steps,
      takeClientReport: createTakeClientReport({ metrics, facts }),
      produceEach,
      outcomes: createBatchOutcomes({
        outcomes,
        limitRate,
        metrics,
        reportRefusal,
        facts: noteFacts
      })
    }),
    drain
  }
}

/** Who is logged in: what tokens say, and what has become of them since. */
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
  lifecycle.onStop('letters', () => mail.close())
  return mail
}

type Shared = { store: Store; ingest: Handle; compute: TenantCompute } & ReturnType<
  typeof openSessions
>

function createReads(
  parts: GatewayParts,
  { store, ingest, compute, ...sessions }: Shared
): Omit<Handlers, 'ingest' | 'ingestBatch'> {
  const { config, lifecycle, rateLimiter, tellKeyChange, waitsMax, readFacts } = parts
  const poll = createPoll({ stopping: lifecycle.stopping, waitingMax: waitsMax })
  const { DECISIONS_TOPIC: decisionsTopic, EVALUATIONS_TOPIC: evaluationsTopic } = config
  const shared = { store, poll, clock, decisionsTopic, evaluationsTopic }
  const reads = { ...shared, ...createReadEvaluations() }
  const decisions = createDecisions(reads)
  const outbound = createOutbound({ privateAddressesAllowed: config.PRIVATE_ADDRESSES_ALLOWED })
  const mail = openMail(parts)
  lifecycle.onStop('calls to judges', () => outbound.close())
  return {
    ...createConfiguration({ store, clock, outbound, compute, secretsKey: config.SECRETS_KEY }),
    ...createAccounts({ config, clock, rateLimiter, store, mail, ...sessions }),
    ...createOrganizationHandlers({
      ...{ config, store, clock, rateLimiter, ...sessions, tellKeyChange },
      ...{ readFacts, mail }
    }),
    ...decisions,
    ...createOnboarding({ config, clock, store, poll, rateLimiter, readFacts, ingest }),
    readEvaluation: createReadEvaluation(reads),
    readReceipt: createReadReceipt(reads),
    ...createResults(reads),
    ...createProfiles({ ...reads, readFacts, listDecisions: decisions.listDecisions }),
    readStats: createReadStats(reads),
    ...createStreams({
      ...{ ...parts, ...reads, ...sessions },
      ...{ streamsMax: config.STREAMS_MAX, secret: config.API_KEY_PEPPER },
      stopping: lifecycle.stopping
    })
  }
}
