/** An authority of a test's own, with certificates for servers and clients on this machine. */
import { generate } from 'selfsigned'

export interface Issued {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** PEM of the authority itself: whom a client trusts. */
  readonly ca: string
  /** For `127.0.0.1` and `localhost`, to serve and to log in with, unless told otherwise. */
  issue(commonName: string, altNames?: readonly AltName[]): Promise<Issued>
}

type AltName = { type: 2; value: string } | { type: 7; ip: string }

const thisMachine: readonly AltName[] = [
  { type: 2, value: 'localhost' },
  { type: 7, ip: '127.0.0.1' }
]
const common = { keyType: 'ec', algorithm: 'sha256' } as const

export async function createAuthority(name: string): Promise<Authority> {
  const root = await generate(subjectOf(name), {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true }
    ]
  })
  return {
    ca: root.cert,
    issue: async (commonName, altNames = thisMachine) => {
      const issued = await generate(subjectOf(commonName), {
        ...common,
        ca: { key: root.private, cert: root.cert },
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
          { name: 'subjectAltName', altNames: [...altNames] }
        ]
      })
      return { cert: issued.cert, key: issued.private }
    }
  }
}

function subjectOf(commonName: string) {
  return [{ name: 'commonName', value: commonName }]
}
