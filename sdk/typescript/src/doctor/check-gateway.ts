/** Gateway checks: the API key, the clock, and whether a test decision is accepted and stored. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { sdkVersion } from '../sdk-version.ts'
import { sendRequest } from './send-request.ts'
import type { DoctorResponse, Gateway } from './send-request.ts'
import { failed, ok, skipped } from './finding.ts'
import type { Finding } from './finding.ts'

export const doctorAgentId = 'sluice-doctor'
const clockMsMax = 30_000
const waitSecondsMax = 10
const pauseMs = 200

const hints: Readonly<Record<string, string>> = {
  api_key_required: 'Set SLUICE_API_KEY.',
  api_key_malformed: 'Copy the whole key again.',
  api_key_invalid:
    'The key was revoked, has expired or belongs to another installation. Create a new one.',
  scope_missing: 'Create an API key with the scope ingest.',
  rate_limited: 'Wait a minute, or ask for a higher rate limit for the organization.',
  route_not_found: 'Set SLUICE_BASE_URL to the URL of the gateway without /v1.'
}

/** Checks that the gateway accepts the API key and that the key has the scope `ingest`. */
export function checkKeyAccepted(response: DoctorResponse): Finding {
  const { status, body, code } = response
  if (code === 'route_not_found') {
    return skipped('scope', 'this gateway only accepts decisions and does not describe API keys')
  }
  const { scopes, organization, name, key_id, expires_at } = body as Partial<WhoAmI>
  if (status !== 200 || !Array.isArray(scopes)) return rejected('scope', response)
  const about = `key "${name ?? key_id}" of "${organization?.name}"`
  const names = scopes.join(', ')
  if (!scopes.includes('ingest')) {
    return failed(
      'scope',
      `${about} lacks the scope ingest; its scopes: ${names}`,
      hints['scope_missing'] ?? ''
    )
  }
  const detail = `${about}; scopes: ${names}`
  return ok('scope', expires_at ? `${detail}; expires ${expires_at}` : detail)
}

interface WhoAmI {
  readonly scopes: readonly string[]
  readonly organization: { readonly name: string }
  readonly name: string | null
  readonly key_id: string
  readonly expires_at: string | null
}

/** Compares the local clock with the gateway's, because decision ids contain the time. */
export function checkClock({ aheadMs }: DoctorResponse): Finding {
  if (aheadMs === null) return skipped('clock', 'the response has no Date header')
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const detail = `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the gateway`
  if (Math.abs(aheadMs) <= clockMsMax) return ok('clock', detail)
  return failed(
    'clock',
    detail,
    'Synchronize the clock of this machine with NTP: decision ids contain the time.'
  )
}

/** Sends a test decision and checks that the gateway acknowledges it. */
export async function sendTest(gateway: Gateway, decisionId: string): Promise<Finding> {
  const startedAt = performance.now()
  const response = await sendRequest(gateway, '/v1/ingest', {
    decision_id: decisionId,
    agent_id: doctorAgentId,
    input: { question: 'Does it arrive?' },
    output: 'It does.',
    metadata: { test: true },
    sdk_version: sdkVersion
  })
  if (response.status !== 202) return rejected('send', response)
  const ms = Math.round(performance.now() - startedAt)
  return ok('send', `acknowledged in ${ms} ms: decision ${decisionId} of agent ${doctorAgentId}`)
}

/** Polls until the test decision is stored, for at most `waitSeconds`. */
export async function waitUntilStored(
  gateway: Gateway,
  decisionId: string,
  waitSeconds: number
): Promise<Finding> {
  const startedAt = performance.now()
  for (;;) {
    const response = await requestStoredState(gateway, decisionId, startedAt + waitSeconds * 1000)
    const elapsedMs = Math.round(performance.now() - startedAt)
    if (response.status === 200) return ok('stored', `stored after ${elapsedMs} ms`)
    if (response.code === 'route_not_found') {
      return skipped('stored', 'this gateway only accepts decisions and does not serve reads')
    }
    if (!retryable.includes(response.code)) return rejected('stored', response)
    if (elapsedMs >= waitSeconds * 1000) {
      return failed(
        'stored',
        `not stored within ${waitSeconds} s`,
        'The decision is acknowledged and therefore safe. Ask the operator of the gateway ' +
          'to check the storage consumer.'
      )
    }
    await sleep(pauseMs)
  }
}

const retryable = ['decision_not_found', 'overloaded', 'store_unavailable']

/**
 * Requests the test decision. The `wait` parameter makes the gateway wait until the decision is
 * stored, but for less than the request timeout.
 */
async function requestStoredState(
  gateway: Gateway,
  decisionId: string,
  endsAt: number
): Promise<DoctorResponse> {
  const restSeconds = Math.round((endsAt - performance.now()) / 1000)
  const allowed = Math.floor(gateway.timeoutMs / 1000) - 1
  const wait = Math.max(0, Math.min(waitSecondsMax, allowed, restSeconds))
  return await sendRequest(gateway, `/v1/ingest/${decisionId}?wait=${wait}`)
}

function rejected(check: string, { status, code, body, location }: DoctorResponse): Finding {
  if (code === '') {
    const target = location === null ? '' : ` (Location: ${location})`
    return failed(
      check,
      `this URL is not a Sluice gateway: it responded with ${status}${target}`,
      'Check SLUICE_BASE_URL. A proxy or a login page may intercept the request.'
    )
  }
  const hint = 'Try again. If the error persists, report this line to the operator of the gateway.'
  return failed(check, `${status} ${code}: ${String(body['title'])}`, hints[code] ?? hint)
}
