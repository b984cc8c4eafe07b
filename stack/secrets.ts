/** Secrets of the local stack, made once and kept, so that keys and sessions outlive a restart. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Named as the environment variables are: `npx sluice` reads them from the same file. */
export type Secrets = {
  API_KEY_PEPPER: string
  SESSION_SIGNING_KEY: string
  SECRETS_KEY: string
  /** Of the Redis of this stack. */
  REDIS_PASSWORD: string
  /** Of the first login. */
  LOGIN_PASSWORD: string
}

function makeSecrets(): Secrets {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    API_KEY_PEPPER: randomBytes(32).toString('base64url'),
    SESSION_SIGNING_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    SECRETS_KEY: randomBytes(32).toString('base64url'),
    REDIS_PASSWORD: randomBytes(24).toString('base64url'),
    LOGIN_PASSWORD: randomBytes(12).toString('base64url')
  }
}

function read(path: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<Secrets>
  } catch {
    return {}
  }
}

/** What the file has, and new secrets for what it has not. */
export function keepSecrets(path: string): Secrets {
  const secrets = { ...makeSecrets(), ...read(path) }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  return secrets
}
