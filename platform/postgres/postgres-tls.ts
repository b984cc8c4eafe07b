/** Postgres TLS: interprets `sslmode`, whose meaning differs between releases of the driver. */
import type { ConnectionOptions } from 'node:tls'

/** A database URL without TLS parameters, and the TLS options derived from them. */
interface PostgresAddress {
  readonly connectionString: string
  readonly ssl: ConnectionOptions | false
}

/** Allowed values of `sslmode`. The first is the default. */
const modes = ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof modes)[number]

/** Parameters that would make the driver read files or weaken verification. */
const foreign = ['ssl', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat']

/**
 * @throws {Error} if `sslmode` is invalid or a parameter is not supported. The message is a
 * predicate that follows the setting name, and contains no secret.
 */
export function sslModeOf(url: string): Mode {
  const parameters = new URL(url).searchParams
  const unknown = foreign.find((name) => parameters.has(name))
  if (unknown !== undefined) {
    throw new Error(`has the unsupported parameter ${unknown}; use sslmode and DATABASE_TLS_CA`)
  }
  const value = parameters.get('sslmode') ?? modes[0]
  const mode = modes.find((candidate) => candidate === value)
  if (mode === undefined) throw new Error(`has an invalid sslmode; use one of ${modes.join(', ')}`)
  return mode
}

/** @param ca CA certificates (PEM) that replace those of Node.js */
export function postgresAddressOf(url: string, ca: string | null): PostgresAddress {
  const mode = sslModeOf(url)
  const stripped = new URL(url)
  stripped.searchParams.delete('sslmode')
  return { connectionString: stripped.href, ssl: sslOf(mode, ca) }
}

function sslOf(mode: Mode, ca: string | null): ConnectionOptions | false {
  const trusted = ca === null ? {} : { ca }
  switch (mode) {
    case 'disable':
      return false
    case 'no-verify':
      return { rejectUnauthorized: false }
    case 'verify-ca':
      return { ...trusted, checkServerIdentity: () => undefined }
    case 'require':
    case 'verify-full':
      return trusted
  }
}
