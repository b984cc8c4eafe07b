/** Parses the options and environment of `sluice bootstrap`. */
import { emailObjection, normalizeEmail, passwordObjection } from '../../core/account-rules.ts'
import { parseApiKey } from '../../core/ids/api-key.ts'
import type { ApiKeyParts, ApiKeyScope } from '../../core/ids/api-key.ts'
import type { Config, SettingName } from '../../platform/config/config.ts'
import { parseName } from '../parse-option.ts'

export interface BootstrapOptions {
  readonly organization?: string
  readonly email?: string
  readonly password?: string
  /** Whether to create a key even if the email is already registered. */
  readonly addKey?: boolean
  readonly keyEnv: string
  readonly scopes: readonly ApiKeyScope[]
  readonly rateLimit?: number
  readonly json?: boolean
}

type BootstrapConfig = Config<Extract<SettingName, `BOOTSTRAP_${string}`>>

export interface BootstrapRequest {
  readonly organization: string
  /** Normalized email address. */
  readonly email: string
  readonly password: string
  readonly keyEnv: string
  readonly scopes: readonly ApiKeyScope[]
  readonly rateLimit: number | null
  /** Key from BOOTSTRAP_API_KEY, or null to generate one. */
  readonly givenKey: ApiKeyParts | null
  readonly addsKey: boolean
}

/** @throws {Error} that lists everything that is missing or invalid */
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

/** Returns the account. Missing values are empty strings. */
function accountOf(options: BootstrapOptions, config: BootstrapConfig) {
  return {
    organization: options.organization ?? config.BOOTSTRAP_ORGANIZATION ?? '',
    email: normalizeEmail(options.email ?? config.BOOTSTRAP_EMAIL ?? ''),
    password: options.password ?? config.BOOTSTRAP_PASSWORD ?? ''
  }
}

/** Returns the `<env>` part of a key. */
function environmentOf(apiKey: string): string {
  return apiKey.split('_')[1] ?? ''
}

const badKey = 'BOOTSTRAP_API_KEY is not a valid API key; generate one with sluice keys generate'

function objectionTo(
  name: string,
  text: string,
  objectionOf: (text: string) => string | null
): string | null {
  if (text === '') {
    return `--${name} is missing: pass it, or set BOOTSTRAP_${name.toUpperCase()}`
  }
  const objection = objectionOf(text)
  return objection === null ? null : `the ${name} ${objection}`
}

function nameObjection(text: string): string | null {
  try {
    return parseName(text) === text ? null : 'must not begin or end with whitespace'
  } catch (error) {
    return `is invalid: ${(error as Error).message}`
  }
}
