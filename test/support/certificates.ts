/** Creates a certificate authority for one test, and issues certificates for this machine. */
import { generate } from 'selfsigned'

export interface Issued {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** CA certificate in PEM. */
  readonly ca: string
  /**
   * Issues a certificate that is valid for servers and clients. Default names: `127.0.0.1` and
   * `localhost`.
   */
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
