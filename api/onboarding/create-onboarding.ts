/** Puts together the handlers of onboarding. */
import type { Clock } from '../../core/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { RateLimiter } from '../../platform/rate-limit/rate-limiter.ts'
import { createReadProgress } from './progress.ts'
import { createReadOnboarding } from './read-onboarding.ts'
import { createSendTestEvent } from './send-test-event.ts'
import type { Poll } from '../poll.ts'
import type { Store } from '../store.ts'
import type { ReadFacts } from '../../usage/read-facts.ts'
import type { OnboardingHandlers } from './onboarding-rows.ts'
import type { Handle } from '../../http/route.ts'

export interface OnboardingParts {
  readonly config: Config<'API_KEY_PEPPER' | 'GATEWAY_ROUTES' | 'MAIL_URL' | 'PUBLIC_URL'>
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
