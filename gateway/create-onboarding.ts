/** Puts together the handlers of onboarding. */
import type { Clock } from '../core/clock.ts'
import type { RateLimiter } from '../platform/rate-limiter.ts'
import { createReadProgress } from './api/onboarding/progress.ts'
import { createReadOnboarding } from './api/onboarding/read-onboarding.ts'
import { createSendTestEvent } from './api/onboarding/send-test-event.ts'
import type { Poll } from './api/poll.ts'
import type { Store } from './api/store.ts'
import type { GatewayConfig } from './config.ts'
import type { ReadFacts } from './facts/read-facts.ts'
import type { OnboardingHandlers } from './onboarding-rows.ts'
import type { Handle } from './route.ts'

export interface OnboardingParts {
  readonly config: GatewayConfig
  readonly clock: Clock
  readonly store: Store
  readonly poll: Poll
  readonly rateLimiter: RateLimiter
  readonly readFacts: ReadFacts
  /** What answers POST /v1/ingest. */
  readonly ingest: Handle
}

export function createOnboarding(parts: OnboardingParts): OnboardingHandlers {
  const { config, clock, store, poll, rateLimiter, readFacts, ingest } = parts
  const readProgress = createReadProgress({ readFacts, hasMail: config.MAIL_URL !== null })
  return {
    readOnboarding: createReadOnboarding({
      ...{ store, poll, readProgress },
      publicUrl: config.PUBLIC_URL
    }),
    sendTestEvent: createSendTestEvent({
      ...{ store, clock, rateLimiter, pepper: config.API_KEY_PEPPER },
      ingest: config.GATEWAY_ROUTES === 'api' ? null : ingest
    })
  }
}
