/** What somebody who has just registered does next. */
import { mayActAs } from '../../core/user-role.ts'
import type { FirstKey } from './create-person.ts'

export interface NextStep {
  readonly what: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** What the call is made with. */
  readonly credential: 'api_key' | 'session' | 'none'
}

const sendDecision: NextStep = {
  what: 'Send a decision with the API key; keep the key, it is not shown again.',
  ...{ method: 'POST', path: '/v1/ingest', credential: 'api_key' }
}
const makeKey: NextStep = {
  what: 'Make an API key that decisions are sent with.',
  ...{ method: 'POST', path: '/v1/auth/api-keys', credential: 'session' }
}
const seeDecisions: NextStep = {
  what: 'See what was sent.',
  ...{ method: 'GET', path: '/v1/decisions', credential: 'session' }
}
const verifyEmail: NextStep = {
  what: 'Verify your email with the token of the letter that was sent to it.',
  ...{ method: 'POST', path: '/v1/auth/email/verify', credential: 'none' }
}

export interface Registered {
  readonly role: string
  readonly api_key: FirstKey | null
  readonly email_verified: boolean
}

export function nextSteps({ role, api_key, email_verified }: Registered): readonly NextStep[] {
  const mayMakeKey = mayActAs(role, 'admin') ? [makeKey] : []
  return [
    ...(api_key === null ? mayMakeKey : [sendDecision]),
    seeDecisions,
    ...(email_verified ? [] : [verifyEmail])
  ]
}
