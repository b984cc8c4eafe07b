/** Sealed secrets: encrypts tenants' secrets at rest and binds each to its owner.
 *
 *     byte  0        1 … 4    5 … 16   17 … 32   33 …
 *           version  key id   nonce    tag       text, AES-256-GCM
 *
 * The key id is not secret. It distinguishes a wrong key from modified data, which GCM alone cannot
 * do. Opening a secret that was sealed before SECRETS_KEY changed therefore fails with its own
 * message.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const version = 1
const keyBytes = 32
const keyIdBytes = 4
const nonceBytes = 12
const tagBytes = 16
const headerBytes = 1 + keyIdBytes + nonceBytes + tagBytes

export interface Sealer {
  /**
   * Encrypts the text. `context` identifies the owner of the secret, for example an organization
   * and a connection. It is not stored, but `open` requires it, so a row that is copied to another
   * tenant is useless.
   */
  seal(text: string, context: string): Buffer
  /** @throws {SealError} */
  open(sealed: Buffer, context: string): string
}

/** Thrown if a secret cannot be opened. The message contains no part of the secret. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

/**
 * Returns the context of a secret.
 * @param id the id of the connection or webhook
 */
export function secretContextOf(organizationId: string, id: string): string {
  return `${organizationId}/${id}`
}

/**
 * @param secretsKey the value of SECRETS_KEY; any text, because the encryption key is derived from
 * it
 */
export function createSealer(secretsKey: string): Sealer {
  const key = derive(secretsKey, 'sluice sealed secret', keyBytes)
  const keyId = derive(secretsKey, 'sluice sealed secret id', keyIdBytes)

  function seal(text: string, context: string): Buffer {
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context))
    const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()])
    return Buffer.concat([Buffer.of(version), keyId, nonce, sealing.getAuthTag(), sealed])
  }

  function open(sealed: Buffer, context: string): string {
    const { nonce, tag, text } = partsOf(sealed, keyId)
    const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
    opening.setAAD(Buffer.from(context)).setAuthTag(tag)
    try {
      return Buffer.concat([opening.update(text), opening.final()]).toString('utf8')
    } catch {
      throw new SealError('the sealed secret was modified, or belongs to another object')
    }
  }

  return { seal, open }
}

function partsOf(sealed: Buffer, keyId: Buffer): { nonce: Buffer; tag: Buffer; text: Buffer } {
  if (sealed.length < headerBytes) throw new SealError('the sealed secret is truncated')
  if (sealed[0] !== version) {
    throw new SealError(`the secret was sealed in the unknown version ${sealed[0]}`)
  }
  const nonceAt = 1 + keyIdBytes
  const tagAt = nonceAt + nonceBytes
  if (!sealed.subarray(1, nonceAt).equals(keyId)) {
    throw new SealError('the secret was sealed with another SECRETS_KEY')
  }
  return {
    nonce: sealed.subarray(nonceAt, tagAt),
    tag: sealed.subarray(tagAt, headerBytes),
    text: sealed.subarray(headerBytes)
  }
}

function derive(secretsKey: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secretsKey, '', purpose, bytes))
}
