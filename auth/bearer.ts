/** Bearer credentials: parses the Authorization header and defines the WWW-Authenticate challenges
 * of a 401.
 */

const bearerExpression = /^bearer +(\S+) *$/i
const apiKeyPrefix = 'slk_'

export const bearerChallenge = Object.freeze({ 'www-authenticate': 'Bearer realm="sluice"' })
export const invalidTokenChallenge = Object.freeze({
  'www-authenticate': 'Bearer realm="sluice", error="invalid_token"'
})

/** Returns the token of a Bearer credential, or null. */
export function bearerTokenOf(authorization: string | undefined): string | null {
  return bearerExpression.exec(authorization ?? '')?.[1] ?? null
}

/** Checks only the prefix of a token, not whether the key is valid. */
export function isApiKey(token: string): boolean {
  return token.startsWith(apiKeyPrefix)
}
