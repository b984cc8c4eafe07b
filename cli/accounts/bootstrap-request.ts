/** What `sluice bootstrap` is asked for: its options, and the environment where they are silent. */
import { emailObjection, normalizeEmail, passwordObjection } from '../../core/account-rules.ts'
import { parseApiKey } from '../../core/ids/api-key.ts'
import type { ApiKeyParts, ApiKeyScope } from '../../core/ids/api-key.ts'
import type { Config, SettingName } from '../../platform/config/config.ts'
import { parseName } from '../parse-option.ts'

export interface BootstrapOptions {
  readonly organization?: string
  readonly email?: string
  readonly password?: string
  /** Makes a key although the email is known. */
  readonly addKey?: boolean
  readonly keyEnv: string
  readonly scopes: readonly ApiKeyScope[]
  readonly rateLimit?: number
  readonly json?: boolean
}

type BootstrapConfig = Config<Extract<SettingName, `BOOTSTRAP_${string}`>>

export interface BootstrapRequest {
  readonly organization: string
  /** Normalized. */
  readonly email: string
  readonly password: string
  readonly keyEnv: string
  readonly scopes: readonly ApiKeyScope[]
  readonly rateLimit: number | null
  /** The key that there is to be; null makes one up. */
  readonly givenKey: ApiKeyParts | null
  readonly addsKey: boolean
}

/** @throws with all that is missing or wrong */
export function bootstrapRequestOf(
  options: BootstrapOptions,
  config: BootstrapConfig
): BootstrapRequest {
  const account = accountOf(options, config)
  const { keyEnv, scopes, rateLimit = null, addKey: addsKey = false } = options
  const given = addsKey ? null : config.BOOTSTRAP_API_KEY
  const givenKey = given === null ? null : parseApiKey(given)
  const { organization, email, password } = account
  const wrong = [
    objectionTo('organization', organization, nameObjection),
    objectionTo('email', email, emailObjection),
    objectionTo('password', password, (text) => passwordObjection(text, email)),
    given !== null && givenKey === null ? badKey : null
  ].filter((each) => each !== null)
  if (wrong.length > 0) throw new Error(wrong.join('; '))
  const environment = given === null ? keyEnv : environmentOf(given)
  return { ...account, keyEnv: environment, scopes, rateLimit, givenKey, addsKey }
}

/** What is not said anywhere is empty. */
function accountOf(options: BootstrapOptions, config: BootstrapConfig) {
  return {
    organization: options.organization ?? config.BOOTSTRAP_ORGANIZATION ?? '',
    email: normalizeEmail(options.email ?? config.BOOTSTRAP_EMAIL ?? ''),
    password: options.password ?? config.BOOTSTRAP_PASSWORD ?? ''
  }
}

/** The <env> of a key. */
function environmentOf(apiKey: string): string {
  return apiKey.split('_')[1] ?? ''
}

const badKey = 'BOOTSTRAP_API_KEY is no API key, or was mistyped; sluice keys generate makes one up'

function objectionTo(
  name: string,
  given: string,
  objectionOf: (text: string) => string | null
): string | null {
  if (given === '') {
    return `give --${name}, or BOOTSTRAP_${name.toUpperCase()} in the environment`
  }
  const objection = objectionOf(given)
  return objection === null ? null : `the ${name} ${objection}`
}

function nameObjection(text: string): string | null {
  try {
    return parseName(text) === text ? null : 'must not begin or end with white space'
  } catch (error) {
    return `does not fit: ${(error as Error).message}`
  }
}
