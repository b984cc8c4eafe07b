/** Creates and stores the secrets of the local stack, so that keys and sessions survive a restart.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Secrets, named like their environment variables, because `npx sluice` reads the same file. */
export type Secrets = {
  API_KEY_PEPPER: string
  SESSION_SIGNING_KEY: string
  SECRETS_KEY: string
  REDIS_PASSWORD: string
  /** Password of the first user. */
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

/** Returns the stored secrets. Creates and stores missing ones. */
export function keepSecrets(path: string): Secrets {
  const secrets = { ...makeSecrets(), ...read(path) }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  return secrets
}
