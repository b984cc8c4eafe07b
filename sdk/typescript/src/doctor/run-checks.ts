/** Runs the doctor's checks in order. If a check fails, the checks that depend on it are
 * skipped.
 */
import type { Settings } from '../options.ts'
import { sendRequest, Unreachable } from './send-request.ts'
import type { Gateway } from './send-request.ts'
import { checkClock, checkKeyAccepted, sendTest, waitUntilStored } from './check-gateway.ts'
import { checkConnection, checkDns } from './check-network.ts'
import { failed, ok } from './finding.ts'
import type { Finding } from './finding.ts'
import { findKeyFlaw, maskKey } from './key-format.ts'

export interface CheckInput extends Pick<
  Settings,
  'apiKey' | 'baseUrl' | 'disabled' | 'timeoutMs'
> {
  /** Warnings about the settings. */
  readonly warnings: readonly string[]
  readonly waitSeconds: number
  /** Creates the id of the test decision. */
  readonly createId: () => string
}

/**
 * Yields each finding as soon as its check ends. Stops after a failure that makes later checks
 * useless.
 */
export async function* runChecks(checkInput: CheckInput): AsyncGenerator<Finding> {
  const { apiKey, baseUrl, timeoutMs } = checkInput
  yield* checkSettings(checkInput)
  if (baseUrl === null) return
  const url = new URL(baseUrl)
  for (const check of [() => checkDns(url), () => checkConnection(url, timeoutMs)]) {
    const finding = await check()
    yield finding
    if (finding.state === 'failed') return
  }
  if (apiKey === null || findKeyFlaw(apiKey) !== null) return
  yield* checkWithGateway(checkInput, { baseUrl, apiKey, timeoutMs })
}

function* checkSettings({ warnings, disabled, baseUrl, apiKey }: CheckInput): Generator<Finding> {
  for (const warning of warnings) {
    yield failed('settings', warning, 'Fix or remove the setting.')
  }
  if (disabled) {
    yield failed('settings', 'disabled is true: nothing is sent', 'Unset SLUICE_DISABLED.')
  }
  if (baseUrl === null) {
    const hint = 'Set SLUICE_BASE_URL, for example to https://sluice.example.com.'
    yield failed('settings', 'the base URL is not set', hint)
  } else {
    yield ok('settings', `the base URL is ${baseUrl}`)
  }
  yield checkKey(apiKey)
}

const copyHint = 'Copy the whole key again, without quotes or other characters around it.'

function checkKey(apiKey: string | null): Finding {
  if (apiKey === null) {
    const hint = 'Set SLUICE_API_KEY. An admin of the organization creates API keys.'
    return failed('key', 'the API key is not set', hint)
  }
  const flaw = findKeyFlaw(apiKey)
  if (flaw === null) return ok('key', `${maskKey(apiKey)} is well-formed`)
  return failed('key', `${maskKey(apiKey)} is malformed: ${flaw}`, copyHint)
}

async function* checkWithGateway(
  checkInput: CheckInput,
  gateway: Gateway
): AsyncGenerator<Finding> {
  let clock: Finding | undefined
  const scope = await guard('scope', async () => {
    const response = await sendRequest(gateway, '/v1/auth/whoami')
    clock = checkClock(response)
    return checkKeyAccepted(response)
  })
  yield scope
  if (clock !== undefined) yield clock
  if (scope.state === 'failed') return
  const id = checkInput.createId()
  const sent = await guard('send', () => sendTest(gateway, id))
  yield sent
  if (sent.state !== 'ok') return
  yield await guard('stored', () => waitUntilStored(gateway, id, checkInput.waitSeconds))
}

async function guard(check: string, find: () => Promise<Finding>): Promise<Finding> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    const hint =
      'Check the port in SLUICE_BASE_URL, and any proxy or firewall in front of the gateway.'
    return failed(check, `no response: ${error.message}`, hint)
  }
}
