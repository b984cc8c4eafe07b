/** Checks with the gateway: the key, the clock, and a decision of its own until it is stored. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { sdkVersion } from '../sdk-version.ts'
import { ask } from './ask.ts'
import type { DoctorAnswer, Gateway } from './ask.ts'
import { failed, ok, skipped } from './finding.ts'
import type { Finding } from './finding.ts'

export const doctorAgentId = 'sluice-doctor'
const clockMsMax = 30_000
const waitSecondsMax = 10
const pauseMs = 200

const hints: Readonly<Record<string, string>> = {
  api_key_required: 'Set SLUICE_API_KEY.',
  api_key_malformed: 'Copy the key again, whole.',
  api_key_invalid: 'It was revoked, has expired, or is of another installation: make a new one.',
  scope_missing: 'Make a key with the scope ingest.',
  rate_limited: 'Wait a minute, or have the limit of the organization raised.',
  route_not_found: 'SLUICE_BASE_URL is the address of the gateway without /v1.'
}

/** Whether the gateway knows the key, and lets it send. */
export function checkKeyAccepted(answer: DoctorAnswer): Finding {
  const { status, body, code } = answer
  if (code === 'route_not_found') {
    return skipped('scope', 'this gateway only takes decisions, and tells nothing of keys')
  }
  const { scopes, organization, name, key_id, expires_at } = body as Partial<WhoAmI>
  if (status !== 200 || !Array.isArray(scopes)) return refused('scope', answer)
  const about = `key "${name ?? key_id}" of "${organization?.name}"`
  const names = scopes.join(', ')
  if (!scopes.includes('ingest')) {
    return failed('scope', `${about} may only ${names}`, hints['scope_missing'] ?? '')
  }
  const may = `${about} may ${names}`
  return ok('scope', expires_at ? `${may}, until ${expires_at}` : may)
}

interface WhoAmI {
  readonly scopes: readonly string[]
  readonly organization: { readonly name: string }
  readonly name: string | null
  readonly key_id: string
  readonly expires_at: string | null
}

/** Whether the clock of here agrees with that of the gateway; ids carry the time. */
export function checkClock({ aheadMs }: DoctorAnswer): Finding {
  if (aheadMs === null) return skipped('clock', 'the gateway does not tell the time')
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const detail = `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the gateway`
  if (Math.abs(aheadMs) <= clockMsMax) return ok('clock', detail)
  return failed('clock', detail, 'Have this machine set its clock by NTP: ids carry the time.')
}

/** Whether a decision is acknowledged. */
export async function sendTest(gateway: Gateway, decisionId: string): Promise<Finding> {
  const startedAt = performance.now()
  const answer = await ask(gateway, '/v1/ingest', {
    decision_id: decisionId,
    agent_id: doctorAgentId,
    input: { question: 'Does it arrive?' },
    output: 'It does.',
    metadata: { test: true },
    sdk_version: sdkVersion
  })
  if (answer.status !== 202) return refused('send', answer)
  const ms = Math.round(performance.now() - startedAt)
  return ok('send', `acknowledged in ${ms} ms: ${decisionId} of ${doctorAgentId}`)
}

/** Whether it can be read soon. */
export async function waitUntilStored(
  gateway: Gateway,
  decisionId: string,
  waitSeconds: number
): Promise<Finding> {
  const startedAt = performance.now()
  for (;;) {
    const answer = await askWhetherStored(gateway, decisionId, startedAt + waitSeconds * 1000)
    const passedMs = Math.round(performance.now() - startedAt)
    if (answer.status === 200) return ok('stored', `after ${passedMs} ms`)
    if (answer.code === 'route_not_found') {
      return skipped('stored', 'this gateway only takes decisions; ask the one that reads')
    }
    if (!passing.includes(answer.code)) return refused('stored', answer)
    if (passedMs >= waitSeconds * 1000) {
      return failed(
        'stored',
        `not within ${waitSeconds} s`,
        'It is acknowledged, so it is safe; whoever runs the gateway looks at the storage consumer.'
      )
    }
    await sleep(pauseMs)
  }
}

const passing = ['decision_not_found', 'overloaded', 'store_unavailable']

/** The gateway waits as well, but not for as long as would end the request. */
async function askWhetherStored(
  gateway: Gateway,
  decisionId: string,
  endsAt: number
): Promise<DoctorAnswer> {
  const restSeconds = Math.round((endsAt - performance.now()) / 1000)
  const allowed = Math.floor(gateway.timeoutMs / 1000) - 1
  const wait = Math.max(0, Math.min(waitSecondsMax, allowed, restSeconds))
  return await ask(gateway, `/v1/ingest/${decisionId}?wait=${wait}`)
}

function refused(check: string, { status, code, body, location }: DoctorAnswer): Finding {
  if (code === '') {
    const leads = location === null ? '' : ` and leads to ${location}`
    return failed(
      check,
      `what is at this address is no Sluice gateway: it answers ${status}${leads}`,
      'Look at SLUICE_BASE_URL; a proxy or a login page may be in between.'
    )
  }
  const again = 'Try again; if it stays, show this to whoever runs the gateway.'
  return failed(check, `${status} ${code}: ${String(body['title'])}`, hints[code] ?? again)
}
