/** Bearer credentials: what an Authorization header carries, and how a refusal asks for one. */

const bearerExpression = /^bearer +(\S+) *$/i
const apiKeyPrefix = 'slk_'

export const bearerChallenge = Object.freeze({ 'www-authenticate': 'Bearer realm="sluice"' })
export const invalidTokenChallenge = Object.freeze({
  'www-authenticate': 'Bearer realm="sluice", error="invalid_token"'
})

/** The token of a Bearer credential, or null when there is none. */
export function bearerTokenOf(authorization: string | undefined): string | null {
  return bearerExpression.exec(authorization ?? '')?.[1] ?? null
}

/** By its prefix alone: whether it is valid is for others to say. */
export function isApiKey(token: string): boolean {
  return token.startsWith(apiKeyPrefix)
}
