/** GET /v1/auth/onboarding: how far it is to the first score, and why nothing arrives. */
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import type { Poll } from '../poll.ts'
import type { Store } from '../store.ts'
import type { ReadProgress } from './progress.ts'
import { baseUrlOf, snippetsOf } from './snippets.ts'
import { countDone, stepsOf } from './steps.ts'

export interface ReadOnboardingDependencies {
  readonly store: Store
  readonly poll: Poll
  readonly readProgress: ReadProgress
  /** PUBLIC_URL; null where it is not set. */
  readonly publicUrl: string | null
}

export function createReadOnboarding(dependencies: ReadOnboardingDependencies): SessionHandle {
  const { store, poll, readProgress, publicUrl } = dependencies

  return async function readOnboarding(call) {
    const { organization_id, user_id } = call.principal
    const ours = store.of(organization_id)
    const { wait, done } = call.query as { wait: number; done?: number }
    let known = done ?? null

    async function read() {
      const { attempts, ...progress } = await readProgress(ours, user_id)
      const steps = stepsOf({ attempts, ...progress })
      known ??= countDone(steps)
      return { attempts, steps }
    }

    const { attempts, steps } = await poll(
      read,
      ({ steps }) => countDone(steps) === steps.length || countDone(steps) > (known ?? 0),
      { organizationId: organization_id, waitMs: wait * 1000, signal: call.signal }
    )
    const answer = {
      steps,
      complete: countDone(steps) === steps.length,
      snippets: snippetsOf(baseUrlOf(publicUrl, call.headers)),
      recent_attempts: attempts?.map((one) => ({ ...one, at: new Date(one.at) })) ?? null
    }
    return jsonReply(200, JSON.stringify(answer))
  }
}
