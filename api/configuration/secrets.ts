/** Encrypts and decrypts the secrets of organizations: the keys of connections and of webhooks. */
import { Problem } from '../../core/problem.ts'
import { createSealer, SealError, secretContextOf } from '../../platform/security/sealed-secret.ts'

export type TenantSecrets = ReturnType<typeof createSecrets>

/** Both functions throw a 409 problem if the SECRETS_KEY is null. */
export function createSecrets(secretsKey: string | null) {
  const sealer = secretsKey === null ? null : createSealer(secretsKey)
  return {
    /** @param id the id of the connection or webhook */
    seal: (secret: string, organizationId: string, id: string): Buffer => {
      if (sealer !== null) return sealer.seal(secret, secretContextOf(organizationId, id))
      const advice = 'Ask its operator to set one.'
      throw keyMissing(`This gateway has no SECRETS_KEY to encrypt secrets with. ${advice}`)
    },
    /**
     * @param id the id of the connection or webhook
     * @throws {Problem} 409 also if the secret was encrypted with another SECRETS_KEY
     */
    open: (sealed: Buffer, organizationId: string, id: string): string => {
      try {
        if (sealer === null) throw new SealError('this gateway has no SECRETS_KEY')
        return sealer.open(sealed, secretContextOf(organizationId, id))
      } catch (error) {
        if (!(error instanceof SealError)) throw error
        const advice = 'Send the key again, or rotate the secret.'
        throw keyMissing(`The secret of ${id} cannot be decrypted: ${error.message}. ${advice}`)
      }
    }
  }
}

function keyMissing(detail: string): Problem {
  return new Problem('secrets_key_missing', { detail })
}
