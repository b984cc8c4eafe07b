/** The rows of onboarding: whether anything comes, and an event that shows it. */
import * as onboarding from './onboarding.operation.ts'
import type { Guards, Row } from '../../auth/guards.ts'
import type { SessionHandle } from '../../http/route.ts'

export interface OnboardingHandlers {
  readonly readOnboarding: SessionHandle
  readonly sendTestEvent: SessionHandle
}

// prettier-ignore
export function onboardingRows(to: OnboardingHandlers, guards: Guards): readonly Row[] {
  const { session, sessionAs } = guards
  const member = sessionAs('member')
  const path = '/v1/auth/onboarding'
  return [
    ['get',  path,                 session(onboarding.readOnboardingOperation, to.readOnboarding)],
    ['post', `${path}/test-event`, member(onboarding.sendTestEventOperation, to.sendTestEvent)]
  ]
}
