/** All checks in order; what needs something that failed is not tried. */
import type { Settings } from '../options.ts'
import { ask, Unreachable } from './ask.ts'
import type { Gateway } from './ask.ts'
import { checkClock, checkKeyAccepted, sendTest, waitUntilStored } from './check-gateway.ts'
import { checkConnection, checkDns } from './check-network.ts'
import { failed, ok } from './finding.ts'
import type { Finding } from './finding.ts'
import { keyFlawOf, keyShown } from './key-form.ts'

export interface Examined extends Pick<Settings, 'apiKey' | 'baseUrl' | 'disabled' | 'timeoutMs'> {
  /** What was wrong with the settings. */
  readonly warnings: readonly string[]
  readonly waitSeconds: number
  /** Makes the id of the decision that is sent. */
  readonly createId: () => string
}

/** Each finding as it is made; ends at the first that leaves nothing more to try. */
export async function* examine(examined: Examined): AsyncGenerator<Finding> {
  const { apiKey, baseUrl, timeoutMs } = examined
  yield* findInSettings(examined)
  if (baseUrl === null) return
  const url = new URL(baseUrl)
  for (const check of [() => checkDns(url), () => checkConnection(url, timeoutMs)]) {
    const finding = await check()
    yield finding
    if (finding.state === 'failed') return
  }
  if (apiKey === null || keyFlawOf(apiKey) !== null) return
  yield* askGateway(examined, { baseUrl, apiKey, timeoutMs })
}

function* findInSettings({ warnings, disabled, baseUrl, apiKey }: Examined): Generator<Finding> {
  for (const warning of warnings) {
    yield failed('settings', warning, 'Until it is mended, the default is used.')
  }
  if (disabled) {
    yield failed('settings', 'disabled is true: nothing is sent', 'Unset SLUICE_DISABLED.')
  }
  if (baseUrl === null) {
    const hint = 'Set SLUICE_BASE_URL, such as https://sluice.example.com.'
    yield failed('settings', 'there is no address of a gateway', hint)
  } else {
    yield ok('settings', `the gateway is ${baseUrl}`)
  }
  yield checkKey(apiKey)
}

const copyAgain = 'Copy it again: whole, and without quotes or anything else around it.'

function checkKey(apiKey: string | null): Finding {
  if (apiKey === null) {
    const hint = 'Set SLUICE_API_KEY; an admin of the organization makes keys.'
    return failed('key', 'there is no API key', hint)
  }
  const flaw = keyFlawOf(apiKey)
  if (flaw === null) return ok('key', `${keyShown(apiKey)} was copied whole`)
  return failed('key', `${keyShown(apiKey)} cannot be right: ${flaw}`, copyAgain)
}

async function* askGateway(examined: Examined, gateway: Gateway): AsyncGenerator<Finding> {
  let clock: Finding | undefined
  const scope = await guard('scope', async () => {
    const answer = await ask(gateway, '/v1/auth/whoami')
    clock = checkClock(answer)
    return checkKeyAccepted(answer)
  })
  yield scope
  if (clock !== undefined) yield clock
  if (scope.state === 'failed') return
  const id = examined.createId()
  const sent = await guard('send', () => sendTest(gateway, id))
  yield sent
  if (sent.state !== 'ok') return
  yield await guard('stored', () => waitUntilStored(gateway, id, examined.waitSeconds))
}

async function guard(check: string, find: () => Promise<Finding>): Promise<Finding> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    const hint = 'Look at the port of SLUICE_BASE_URL, and at what is between here and the gateway.'
    return failed(check, `there was no answer: ${error.message}`, hint)
  }
}
