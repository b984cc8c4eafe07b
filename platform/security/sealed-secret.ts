/** Secrets of tenants at rest: sealed under a key of ours, and bound to what they belong to.
 *
 *  byte  0        1 … 4    5 … 16   17 … 32   33 …
 *        version  key id   nonce    tag       text, AES-256-GCM
 *
 *  The key id is no secret. It tells a wrong key from a changed text, which GCM alone cannot, and
 *  it will tell the old key from the new one while keys are changed.
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
   * `context` names what the secret belongs to, such as an organization and a connection. It is
   * not kept: only who names the same opens it, so a row copied to another tenant stays shut.
   */
  seal(text: string, context: string): Buffer
  /** @throws {SealError} */
  open(sealed: Buffer, context: string): string
}

/** Says why a secret stays shut, and nothing of what is in it. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

/** `secretsKey` is SECRETS_KEY: whatever it is, the key that seals is derived from it. */
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
      throw new SealError('the sealed secret was changed, or belongs to something else')
    }
  }

  return { seal, open }
}

function partsOf(sealed: Buffer, keyId: Buffer): { nonce: Buffer; tag: Buffer; text: Buffer } {
  if (sealed.length < headerBytes) throw new SealError('the sealed secret was cut off')
  if (sealed[0] !== version) {
    throw new SealError(`the secret was sealed in version ${sealed[0]}, which is not known here`)
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
