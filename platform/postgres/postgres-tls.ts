/** What `sslmode` in the URL of Postgres means here; to the driver it changes by release. */
import type { ConnectionOptions } from 'node:tls'

/** The URL without what is about TLS, and what it said. */
export interface PostgresAddress {
  readonly connectionString: string
  readonly ssl: ConnectionOptions | false
}

/** Each with what it means; the first is meant when the URL says nothing. */
const modes = ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof modes)[number]

/** The driver would read files or weaken the check for these. */
const foreign = ['ssl', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat']

/** @throws with a sentence that continues the setting's name and repeats no secret. */
export function sslModeOf(url: string): Mode {
  const parameters = new URL(url).searchParams
  const unknown = foreign.find((name) => parameters.has(name))
  if (unknown !== undefined) {
    throw new Error(
      `has the parameter ${unknown}, which is not read: use sslmode and a TLS setting`
    )
  }
  const given = parameters.get('sslmode') ?? modes[0]
  const mode = modes.find((candidate) => candidate === given)
  if (mode === undefined) throw new Error(`has an sslmode that is none of ${modes.join(', ')}`)
  return mode
}

/** `ca` is the PEM of the authorities to trust instead of those that Node knows. */
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
