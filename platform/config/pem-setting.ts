/** PEM settings: validates certificates and keys at startup, before the first connection needs
 * them.
 */
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Setting } from './setting.ts'

const certificateExpression = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const publicKeyExpression = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g
const signingCurve = 'prime256v1'

/** Defines an optional setting with one certificate or a chain. */
export function certificates(description: string): Setting<string | null> {
  return { description, default: null, isSecret: false, parse: parseCertificates }
}

export function privateKey(description: string): Setting<string | null> {
  const parse = (value: string): string => {
    readPrivateKey(value)
    return value
  }
  return { description, default: null, isSecret: true, parse }
}

/** Defines a required setting with an ES256 private key. */
export function signingKey(description: string): Setting<string> {
  const parse = (value: string): string => {
    const { asymmetricKeyType, asymmetricKeyDetails } = readPrivateKey(value, ' on P-256')
    if (asymmetricKeyDetails?.namedCurve === signingCurve) return value
    const kind = asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType
    throw new Error(`is a private key of type ${kind}; a P-256 key is required`)
  }
  return { description, default: undefined, isSecret: true, parse }
}

/** Defines a setting with concatenated P-256 public keys. The default is an empty list. */
export function publicKeys(description: string): Setting<readonly string[]> {
  const parse = (value: string): readonly string[] => {
    const found = value.match(publicKeyExpression) ?? []
    const begun = value.match(/-----BEGIN /g)?.length ?? 0
    if (value !== '' && (found.length === 0 || begun > found.length)) {
      throw new Error('must contain only PEM public keys')
    }
    const wrong = found.findIndex((text) => !isSigningPublicKey(text))
    if (wrong < 0) return Object.freeze([...found])
    throw new Error(`contains a key that is not P-256 (number ${wrong + 1})`)
  }
  return { description, default: Object.freeze([]), isSecret: false, parse }
}

function isSigningPublicKey(pem: string): boolean {
  try {
    return createPublicKey(pem).asymmetricKeyDetails?.namedCurve === signingCurve
  } catch {
    return false
  }
}

/** Returns the subject and expiry of each certificate, separated by semicolons. */
export function describeCertificates(pem: string): string {
  return (pem.match(certificateExpression) ?? [])
    .map((text) => new X509Certificate(text))
    .map(({ subject, validTo }) => `${subject.replaceAll('\n', ', ')} until ${validTo}`)
    .join('; ')
}

/** Checks whether the private key matches the first certificate. */
export function isKeyOf(certificatePem: string, keyPem: string): boolean {
  return new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem))
}

/** Validates the certificates. Errors omit the parser's message, because it may quote the input. */
function parseCertificates(value: string): string {
  const found = value.match(certificateExpression) ?? []
  const begun = value.match(/-----BEGIN /g)?.length ?? 0
  if (found.length === 0) throw new Error('contains no PEM certificate')
  if (begun > found.length)
    throw new Error('contains something other than complete PEM certificates')
  found.forEach((text, index) => {
    if (!isCertificate(text))
      throw new Error(`contains an invalid certificate (number ${index + 1})`)
  })
  return value
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined
  } catch {
    return false
  }
}

function readPrivateKey(value: string, which = ''): KeyObject {
  try {
    return createPrivateKey(value)
  } catch {
    throw new Error(`must be a PEM private key${which} without a passphrase`)
  }
}
