/** Creates a scene: the API routes on a real server with a real database and two organizations. */
import { generateKeyPairSync, hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ApiKeyScope } from '../../../core/ids/api-key.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import type { LaterRun } from '../../../core/evaluation/evaluation.ts'
import type { UserRole } from '../../../core/user-role.ts'
import type { FindApiKey } from '../../../auth/api-keys.ts'
import { accountsRole } from '../../../api/store.ts'
import { readGatewayConfig } from '../../../gateway/config.ts'
import { createCors } from '../../../http/cors.ts'
import { createGatewayApp } from '../../../gateway/create.ts'
import { createHttpLimits } from '../../../http/admission/http-limits.ts'
import { createUsageCounters } from '../../../usage/usage-counters.ts'
import type { ReadUsage } from '../../../usage/read-usage.ts'
import { noKafka } from '../../../gateway/ingest/no-kafka.ts'
import { createGatewayServer } from '../../../http/server.ts'
import { systemClock } from '../../../platform/process/clock.ts'
import type { Environment } from '../../../platform/config/config.ts'
import type { Lifecycle } from '../../../platform/process/lifecycle.ts'
import { createLogger } from '../../../platform/telemetry/logger.ts'
import { createMetrics } from '../../../platform/telemetry/metrics.ts'
import { createOneTimeValues } from '../../../platform/redis/one-time-values.ts'
import type { OneTimeValues } from '../../../platform/redis/one-time-values.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool, Queryable, Row } from '../../../platform/postgres/postgres.ts'
import type { RateLimiter } from '../../../platform/rate-limit/rate-limiter.ts'
import { createRedis } from '../../../platform/redis/redis.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createKeys, createTestSessions } from './scene-credentials.ts'
import { services } from '../../support/services.ts'
import { checkAnswer } from '../../support/check-answer.ts'

export const decisionsTopic = 'agent-decisions'
export const evaluationsTopic = 'decision-evaluations'
/** Maximum number of waiting calls. One organization can hold a fifth of them. */
const waitsMax = 15
const pepper = 'a pepper of thirty-two characters!'
export const secretsKey = 'a secret of thirty-two characters'

/** Creates a rate limiter that counts in this process and never resets. */
function createCountingLimiter(): RateLimiter {
  const taken = new Map<string, number>()
  return {
    take: async (key, { points }, count) => {
      const total = (taken.get(key) ?? 0) + count
      taken.set(key, total)
      return {
        granted: total <= points ? count : 0,
        remaining: Math.max(0, points - total),
        resetMs: 900_000
      }
    },
    peek: (_key, { points }) => ({ granted: 0, remaining: points, resetMs: 900_000 }),
    isSpent: () => false,
    giveBack: (key, _limit, points) => void taken.set(key, (taken.get(key) ?? 0) - points)
  }
}

export interface Answer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Body
}

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Number of rows returned; 0 until the statement has ended. */
  rows: number
}

export interface Scene {
  readonly url: string
  /** The key that signs access tokens, in PEM. */
  readonly signingKey: string
  readonly database: TestDatabase
  /** Folder that the gateway writes emails to. */
  readonly mailFolder: string
  /**
   * Starts another gateway on the same services with other settings.
   * @returns its URL
   */
  serveAnother(environment?: Environment): Promise<string>
  readonly organizationId: string
  /** Access tokens for this organization (`token`) and for another one (`foreignToken`). */
  readonly token: string
  readonly foreignToken: string
  /** API keys with the scopes evaluation:read (`apiKey`) and evaluation:write (`writeKey`). */
  readonly apiKey: string
  readonly writeKey: string
  /** Creates an API key of the organization with these scopes. */
  keyWith(...scopes: ApiKeyScope[]): string
  /** Returns an access token for a user of the organization with this role. */
  tokenAs(role: string): string
  readonly stopping: AbortController
  /**
   * Functions that read usage. By default they return null, as when Redis is unavailable; tests can
   * replace them.
   */
  readonly readUsage: { -readonly [Name in keyof ReadUsage]: ReadUsage[Name] }
  /** SQL of the statements that reads have sent so far. */
  readonly statementTexts: readonly string[]
  /** Statements that reads have sent so far, with their values. */
  readonly statements: readonly Statement[]
  get<Body = Record<string, unknown>>(path: string, token?: string): Promise<Answer<Body>>
  post<Body = Record<string, unknown>>(
    path: string,
    body: unknown,
    token?: string
  ): Promise<Answer<Body>>
  /** Sends a request as a user with the role `sending.role`. Default: owner. */
  send<Body = Record<string, unknown>>(sending: Sending): Promise<Answer<Body>>
}

export interface Sending {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly role?: string
  /** Default: the organization of the scene. */
  readonly organizationId?: string
}

/**
 * @param databaseUrl the URL to use instead of that of the scene's own database, for example an
 * unreachable one
 * @param settings the settings to add to those that the scene needs
 */
export async function createScene(
  databaseUrl?: string,
  settings: Readonly<Record<string, string>> = {}
): Promise<Scene> {
  const database = await createTestDatabase()
  const postgres = createPostgres({
    url: databaseUrl ?? database.url,
    applicationName: 'sluice-test',
    connectionsMax: 5,
    statementTimeoutMs: 5000
  })
  onEnd(() => postgres.close())
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const sessions = createTestSessions(database, signingKey)
  const organizationId = randomUUID()
  const stopping = new AbortController()
  const tokens = await sessions.logInAll(organizationId)
  const keys = createKeys(organizationId, pepper)
  const statementTexts: string[] = []
  const readUsage = createAbsentUsage()
  const statements: Statement[] = []
  const mailFolder = await createFolder()
  const serving = {
    ...{
      postgres: recordStatements(postgres, { statementTexts, statements }),
      findApiKey: keys.find,
      readUsage
    },
    ...{ signingKey, stopping },
    ...{ databaseUrl: database.url, settings, mailFolder }
  }
  const url = await serve(serving)
  const token = tokens.owner
  const foreign = await sessions.logInAll(randomUUID())
  return {
    ...{ url, database, organizationId, token, stopping, readUsage, statementTexts, statements },
    ...{ signingKey, mailFolder },
    serveAnother: (environment = {}) =>
      serve({ ...serving, settings: { ...settings, ...environment } }),
    apiKey: keys.create('evaluation:read'),
    writeKey: keys.create('evaluation:write'),
    keyWith: keys.create,
    foreignToken: foreign.owner,
    tokenAs: (role) => tokens[role as UserRole],
    get: (path, credential = token) =>
      request(`${url}${path}`, { headers: { authorization: `Bearer ${credential}` } }),
    post: (path, body, credential) =>
      request(`${url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` })
        },
        body: JSON.stringify(body)
      }),
    send: async ({ method, path, body, role = 'owner', organizationId: id }) => {
      const used = id === undefined ? tokens : await sessions.logInAll(id)
      return request(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${used[role as UserRole]}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' })
        },
        body: body === undefined ? null : JSON.stringify(body)
      })
    }
  }
}

function createAbsentUsage(): Scene['readUsage'] {
  const absent = () => Promise.resolve(null)
  return {
    ...{ keyCounts: absent, outcomes: absent, attempts: absent },
    ...{ agentIngestion: absent, keyUse: absent }
  }
}

/**
 * Returns a pool that records statements, except those of changes, of transactions and of the
 * accounts role.
 */
function recordStatements(
  postgres: PostgresPool,
  { statementTexts, statements }: { statementTexts: string[]; statements: Statement[] }
): PostgresPool {
  const recording = (to: Queryable): Queryable => ({
    query: async <R extends Row>(text: string, values: readonly unknown[] = []) => {
      statementTexts.push(text)
      const statement = { text, values, rows: 0 }
      statements.push(statement)
      const rows = await to.query<R>(text, values)
      statement.rows = rows.length
      return rows
    }
  })
  return {
    ...postgres,
    ...recording(postgres),
    reading: (settings) => {
      const reads = postgres.reading(settings)
      return settings['role'] === accountsRole ? reads : recording(reads)
    }
  }
}

interface Serving {
  readonly postgres: PostgresPool
  readonly findApiKey: FindApiKey
  readonly signingKey: string
  readonly stopping: AbortController
  readonly databaseUrl: string
  readonly readUsage: ReadUsage
  readonly settings: Environment
  readonly mailFolder: string
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-mail-'))
  onEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a gateway. By default, it serves only the API routes. */
async function serve({ stopping, ...serving }: Serving): Promise<string> {
  const { postgres, findApiKey, signingKey, databaseUrl, settings, readUsage } = serving
  const config = readGatewayConfig({
    ...{ GATEWAY_ROUTES: 'api', REGISTRATION: 'open', PRIVATE_ADDRESSES_ALLOWED: 'true' },
    ...{ REDIS_URL: 'redis://127.0.0.1:1', DATABASE_URL: databaseUrl },
    ...{ API_KEY_PEPPER: pepper, SESSION_SIGNING_KEY: signingKey, SECRETS_KEY: secretsKey },
    ...{ DECISIONS_TOPIC: decisionsTopic, EVALUATIONS_TOPIC: evaluationsTopic },
    ...{ MAIL_URL: pathToFileURL(serving.mailFolder).href, ...settings }
  })
  const logger = createLogger({ level: 'silent', process: 'gateway' })
  const metrics = createMetrics()
  const lifecycle: Lifecycle = {
    onStop: (_name, stop) => onEnd(stop),
    stop: () => Promise.resolve(),
    isStopping: () => false,
    stopping: stopping.signal
  }
  const httpLimits = createHttpLimits({
    ...{ requestsMax: 100, bodyBytesMax: 32 * 1024 * 1024, responseTimeoutMs: 10_000 },
    metrics
  })
  const { app } = createGatewayApp({
    ...{ config, logger, lifecycle, metrics, postgres, findApiKey, httpLimits, waitsMax },
    ...{ noteUse: () => {}, notifyKeyChange: () => {}, rateLimiter: createCountingLimiter() },
    ...{ producer: noKafka.producer, schemaId: noKafka.schemaId, oneTimeValues: openValues() },
    ...{ usage: createUsageCounters({ metrics }), readUsage }
  })
  const cors = createCors([])
  return listen(
    createGatewayServer({ ...{ app, httpLimits, cors, metrics, limits }, clock: systemClock })
  )
}

function openValues(): OneTimeValues {
  const redis = createRedis(services().addresses.redisUrl)
  onEnd(() => Promise.resolve(redis.disconnect()))
  return createOneTimeValues(redis)
}

const limits = { connectionsMax: 100, headersTimeoutMs: 10_000, requestTimeoutMs: 30_000 }

async function listen(server: ReturnType<typeof createGatewayServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onEnd(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function request<Body>(url: string, init: RequestInit): Promise<Answer<Body>> {
  const response = await fetch(url, init)
  const text = await response.text()
  const { status, headers } = response
  const contentType = headers.get('content-type')
  checkAnswer(init.method ?? 'GET', new URL(url).pathname, { status, text, contentType })
  return { status, headers, text, body: JSON.parse(text) as Body }
}

/** Inserts the two rows of a decision, without its agent and hourly sums. */
export async function storeDecision(database: TestDatabase, decision: Decision): Promise<void> {
  const { organization_id, decision_id } = decision
  const received_at = new Date(decision.received_at)
  const fingerprint = hash('sha256', decision_id, 'buffer')
  await database.query(
    `insert into decision_ids (organization_id, decision_id, received_at, fingerprint)
     values ($1, $2, $3, $4)`,
    [organization_id, decision_id, received_at, fingerprint]
  )
  const { input, output, agent_id, session_id, domain, metadata } = decision
  const { input_tokens, output_tokens, sdk_version } = decision
  await database.query(
    `insert into decisions (organization_id, decision_id, received_at, input, output, agent_id,
                            session_id, domain, metadata, input_tokens, output_tokens, sdk_version)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      ...[organization_id, decision_id, received_at, input, output, agent_id],
      ...[session_id, domain, metadata, input_tokens, output_tokens, sdk_version]
    ]
  )
}

export type RunOwner = Pick<Decision, 'organization_id' | 'decision_id'> &
  Partial<Pick<Decision, 'agent_id' | 'domain' | 'received_at'>> & { readonly evaluated_at?: Date }

/** Stores a run and its scores together, as the storage group does. */
export async function storeRun(
  database: TestDatabase,
  owner: RunOwner,
  run: LaterRun
): Promise<void> {
  const { organization_id, decision_id, agent_id = null, domain = null } = owner
  const { evaluated_at = new Date() } = owner
  const received_at = new Date(owner.received_at ?? evaluated_at)
  const decision = { organization_id, decision_id, agent_id, domain, received_at, evaluated_at }
  const { scores, cost_nano_usd: nano_usd, scheduled_at, started_at, ...rest } = run
  const timeOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))
  const times = { scheduled_at: timeOf(scheduled_at), started_at: timeOf(started_at) }
  const runRow = { ...rest, ...times, nano_usd, ...decision, stored_at: new Date() }
  const scoreRows = scores.map((score) => {
    const source_kind = score.source_kind ?? 'evaluator'
    return { ...run, ...score, source_kind, ...decision, scheduled_at: null, started_at: null }
  })
  await database.query(
    `with stored as (
       insert into later_scores select * from json_populate_recordset(null::later_scores, $2)
     )
     insert into later_runs select * from json_populate_record(null::later_runs, $1)`,
    [JSON.stringify(runRow), JSON.stringify(scoreRows)]
  )
}

/**
 * Records, as storage does, that all records in the topic at `asOf` are stored or dead-lettered.
 */
export async function reportProgress(
  database: TestDatabase,
  asOf: Date,
  topic = decisionsTopic
): Promise<void> {
  await database.query(
    `insert into storage_progress (topic, partition, next_offset, as_of)
     values ($1, 0, 1, $2), ($1, 1, 1, $2::timestamptz + interval '1 hour')
     on conflict (topic, partition) do update set as_of = excluded.as_of`,
    [topic, asOf]
  )
}
