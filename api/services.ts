/** Defines the services that API handlers use, and `routesOf`, which declares the routes of a
 * resource.
 */
import type { LiveSessions } from '../auth/live-sessions.ts'
import type { Clock } from '../core/clock.ts'
import type { Handle } from '../http/route.ts'
import type { FairShare } from '../http/admission/fair-share.ts'
import { createRoutesOf } from '../http/typed-route.ts'
import type { Config } from '../platform/config/config.ts'
import type { Outbound } from '../platform/http-client/outbound.ts'
import type { PostWebhook } from '../platform/http-client/post-webhook.ts'
import type { Mail } from '../platform/process/mail.ts'
import type { RateLimiter } from '../platform/rate-limit/rate-limiter.ts'
import type { OneTimeValues } from '../platform/redis/one-time-values.ts'
import type { hashPassword, verifyPassword } from '../platform/security/password.ts'
import type { SessionTokens } from '../platform/security/session-token.ts'
import type { ReadUsage } from '../usage/read-usage.ts'
import type { Throttle } from './accounts/throttle.ts'
import type { TenantSecrets } from './configuration/secrets.ts'
import type { Poll } from './poll.ts'
import type { TenantCompute } from './evaluators/tenant-compute.ts'
import type { EvaluationReads } from './read-evaluations.ts'
import type { Store } from './store.ts'
import type { Streams } from './streams/streams.ts'

export interface Services extends EvaluationReads {
  readonly config: Config<
    | 'API_KEY_PEPPER'
    | 'CONSOLE_ENABLED'
    | 'GATEWAY_ROUTES'
    | 'MAIL_URL'
    | 'PUBLIC_URL'
    | 'REGISTRATION'
  >
  readonly store: Store
  readonly clock: Clock
  /** Validates and runs evaluators that tenants define, in a separate thread. */
  readonly compute: TenantCompute
  /** The decisions and evaluations topics. Responses report how far storage has processed them. */
  readonly decisionsTopic: string
  readonly evaluationsTopic: string
  readonly readUsage: ReadUsage
  /** Sends requests to URLs that users configure. */
  readonly outbound: Outbound
  readonly postWebhook: PostWebhook
  readonly streams: Streams
  /** Stores values in Redis that can be read only once. */
  readonly oneTimeValues: OneTimeValues
  readonly secrets: TenantSecrets
  readonly mail: Pick<Mail, 'send'>
  readonly sessionTokens: SessionTokens
  readonly liveSessions: LiveSessions
  /** Both reject with a 503 problem if too many passwords are waiting to be hashed. */
  readonly passwords: {
    readonly verify: typeof verifyPassword
    readonly hash: typeof hashPassword
  }
  /** Limits logins, wrong passwords and tokens, new accounts, account emails and invites. */
  readonly throttle: Throttle
  /** Key used to derive the successors of refresh tokens. */
  readonly successionKey: Buffer
  readonly poll: Poll
  /** Runs work of a handler in the share of expensive reads of an organization. */
  readonly shareReads: FairShare
  readonly rateLimiter: RateLimiter
  /** Notifies the gateways of a changed API key, so that they drop it from their caches. */
  readonly notifyKeyChange: (keyId: string) => void
  /** The handler of POST /v1/ingest. */
  readonly ingest: Handle
}

/**
 * Returns the function that defines the routes of a resource.
 * @param tag the tag of their operations in the OpenAPI document
 */
export const routesOf = createRoutesOf<Services>()
