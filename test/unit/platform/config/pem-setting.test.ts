/** Tests that an invalid PEM is rejected when it is read, and never repeated in the error. */
import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import {
  certificates,
  describeCertificates,
  isKeyOf,
  privateKey,
  signingKey
} from '../../../../platform/config/pem-setting.ts'
import type { Setting } from '../../../../platform/config/setting.ts'
import { createAuthority } from '../../../support/certificates.ts'
import type { Authority, Issued } from '../../../support/certificates.ts'

const certificate = certificates('Authorities.')
const key = privateKey('Key.')
const signing = signingKey('Key.')

const pkcs8 = { type: 'pkcs8', format: 'pem' } as const
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p256Pem = String(p256.privateKey.export(pkcs8))
const p384Pem = String(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export(pkcs8))
const rsaPem = String(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pkcs8))
const publicPem = String(p256.publicKey.export({ type: 'spki', format: 'pem' }))
const lockedPem = String(
  p256.privateKey.export({ ...pkcs8, cipher: 'aes-256-cbc', passphrase: 'secret' })
)

let authority: Authority
let issued: Issued

beforeAll(async () => {
  authority = await createAuthority('An authority')
  issued = await authority.issue('a server')
})

function objectionOf(setting: Setting<unknown>, text: string): string | null {
  try {
    setting.parse(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

describe('certificates', () => {
  test('accept one certificate, and a chain with text in between', () => {
    for (const text of [authority.ca, `Root:\n${authority.ca}\n# leaf\n${issued.cert}\n`]) {
      expect(certificate.parse(text)).toBe(text)
    }
  })

  test('reject invalid text without repeating it', () => {
    const [first = '', ...rest] = issued.cert.split('\n')
    const broken = [first, 'AAAA', ...rest.slice(1)].join('\n')
    expect(objectionOf(certificate, 'secret')).toBe('contains no PEM certificate')
    expect(objectionOf(certificate, publicPem)).toBe('contains no PEM certificate')
    expect(objectionOf(certificate, issued.cert.replaceAll('\n', '\\n'))).not.toBeNull()
    expect(objectionOf(certificate, `${authority.ca}${broken}`)).toBe(
      'contains an invalid certificate (number 2)'
    )
    const message = 'contains something other than complete PEM certificates'
    expect(objectionOf(certificate, `${issued.cert}${issued.key}`)).toBe(message)
    expect(objectionOf(certificate, `${issued.cert}${issued.cert.slice(0, 200)}`)).toBe(message)
  })

  test('are described by subject and expiry', () => {
    expect(describeCertificates(`${authority.ca}${issued.cert}`)).toMatch(
      /^CN=An authority until .+ GMT; CN=a server until .+ GMT$/
    )
  })

  test('match their key', async () => {
    const other = await authority.issue('another')
    expect(isKeyOf(issued.cert, issued.key)).toBe(true)
    expect(isKeyOf(issued.cert, other.key)).toBe(false)
  })
})

describe('private keys', () => {
  test('accept every kind; for signing only P-256', () => {
    for (const text of [p256Pem, p384Pem, rsaPem]) expect(key.parse(text)).toBe(text)
    expect(signing.parse(p256Pem)).toBe(p256Pem)
    expect(objectionOf(signing, rsaPem)).toBe(
      'is a private key of type rsa; a P-256 key is required'
    )
    expect(objectionOf(signing, p384Pem)).toBe(
      'is a private key of type secp384r1; a P-256 key is required'
    )
  })

  test('reject invalid text without repeating it', () => {
    const malformed = p256Pem.replace(/\n.{8}/, '\nAAAAAAAA')
    for (const text of ['secret', publicPem, lockedPem, malformed]) {
      expect(objectionOf(key, text)).toBe('must be a PEM private key without a passphrase')
      expect(objectionOf(signing, text)).toBe(
        'must be a PEM private key on P-256 without a passphrase'
      )
    }
  })
})
