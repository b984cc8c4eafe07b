/** Settings that are PEM texts: read as what they are at the start, not at the first connection. */
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Setting } from './setting.ts'

const certificateExpression = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const publicKeyExpression = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g
const signingCurve = 'prime256v1'

/** One certificate or a chain of them. */
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

/** A key for ES256; there is no default. */
export function signingKey(description: string): Setting<string> {
  const parse = (value: string): string => {
    const { asymmetricKeyType, asymmetricKeyDetails } = readPrivateKey(value, ' on P-256')
    if (asymmetricKeyDetails?.namedCurve === signingCurve) return value
    const kind = asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType
    throw new Error(`is a private key of the kind ${kind}, one on P-256 is needed`)
  }
  return { description, default: undefined, isSecret: true, parse }
}

/** Keys on P-256, one after the other; none without it. */
export function publicKeys(description: string): Setting<readonly string[]> {
  const parse = (value: string): readonly string[] => {
    const found = value.match(publicKeyExpression) ?? []
    const begun = value.match(/-----BEGIN /g)?.length ?? 0
    if (value !== '' && (found.length === 0 || begun > found.length)) {
      throw new Error('holds no PEM of public keys')
    }
    const wrong = found.findIndex((text) => !isSigningPublicKey(text))
    if (wrong < 0) return Object.freeze([...found])
    throw new Error(`has a key that is none on P-256, number ${wrong + 1}`)
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

/** What a certificate says of itself, for people: never the text. */
export function describeCertificates(pem: string): string {
  return (pem.match(certificateExpression) ?? [])
    .map((text) => new X509Certificate(text))
    .map(({ subject, validTo }) => `${subject.replaceAll('\n', ', ')} until ${validTo}`)
    .join('; ')
}

/** Whether the key is the one that the first certificate was made for. */
export function isKeyOf(certificatePem: string, keyPem: string): boolean {
  return new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem))
}

/** The parser's own words may repeat what it read, so they are left out. */
function parseCertificates(value: string): string {
  const found = value.match(certificateExpression) ?? []
  const begun = value.match(/-----BEGIN /g)?.length ?? 0
  if (found.length === 0) throw new Error('holds no PEM certificate')
  if (begun > found.length) throw new Error('holds something beside whole PEM certificates')
  found.forEach((text, index) => {
    if (!isCertificate(text)) throw new Error(`has a broken certificate, number ${index + 1}`)
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
    throw new Error(`is no PEM of a private key${which} without a passphrase`)
  }
}
