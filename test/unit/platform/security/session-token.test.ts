/** Tests that only valid Sluice session tokens are accepted. */
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { JsonWebKeyInput } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createSessionTokens } from '../../../../platform/security/session-token.ts'
import { createForgery, decoded, newKey } from '../../../support/token-forgery.ts'

const claims = {
  user_id: '01938c4e-1111-7000-8000-5b7a9f002f6d',
  organization_id: '01938c4e-2222-7000-8000-5b7a9f002f6d',
  role: 'owner',
  session_id: '01938c4e-3333-7000-8000-5b7a9f002f6d'
}
const clock = { time: Date.UTC(2026, 0, 31), now: () => clock.time }
const seconds = clock.time / 1000

const { privateKey, pem } = newKey()
const tokens = createSessionTokens({ signingKey: pem, clock })
const { forge, corpus } = createForgery(tokens.sign(claims), privateKey)
const [goodHeader, goodPayload] = decoded(tokens.sign(claims))

test('verifies its own tokens for 15 minutes', () => {
  expect(tokens.verify(tokens.sign(claims))).toEqual(claims)
  expect(goodHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: expect.any(String) })
  expect(goodPayload).toEqual({
    sub: claims.user_id,
    organization_id: claims.organization_id,
    role: 'owner',
    sid: claims.session_id,
    iss: 'sluice',
    aud: 'sluice-api',
    iat: seconds,
    exp: seconds + 900
  })
})

test('the forger makes valid tokens by default', () => {
  expect(tokens.verify(forge({}, {}))).toEqual(claims)
})

test('the key id is the RFC 7638 thumbprint, so all processes with the key have the same', () => {
  const other = createSessionTokens({ signingKey: pem, clock })
  expect(other.verify(tokens.sign(claims))).toEqual(claims)
  expect(goodHeader['kid']).toMatch(/^[\w-]{43}$/)
})

test('expires after 15 minutes, with a tolerance of five seconds for clock differences', () => {
  const token = tokens.sign(claims)
  const late = (ms: number) =>
    createSessionTokens({ signingKey: pem, clock: { now: () => clock.time + ms } }).verify(token)
  expect(late(904_000)).toEqual(claims)
  expect(late(906_000)).toBeNull()
})

test('a cached token expires at the same time, and is not accepted before its own', () => {
  const moving = { time: clock.time, now: () => moving.time }
  const process = createSessionTokens({ signingKey: pem, clock: moving })
  const token = tokens.sign(claims)
  const at = (ms: number) => {
    moving.time = clock.time + ms
    return process.verify(token)
  }
  expect([at(0), at(904_000)]).toEqual([claims, claims])
  expect([at(906_000), at(-6000), at(0)]).toEqual([null, null, claims])
  expect(process.verify(`${token.slice(0, -4)}AAAA`)).toBeNull()
})

const publicKey = createPublicKey(privateKey)
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

test.each(corpus)('rejects %s', (_, token) => {
  expect(tokens.verify(token)).toBeNull()
})

test('accepts tokens of earlier keys while they are configured, and signs with the new one', () => {
  const next = newKey()
  const old = tokens.sign(claims)
  const rotated = createSessionTokens({
    signingKey: next.pem,
    verificationKeys: [publicPem],
    clock
  })
  expect(rotated.verify(old)).toEqual(claims)
  expect(rotated.verify(rotated.sign(claims))).toEqual(claims)
  expect(tokens.verify(rotated.sign(claims))).toBeNull()
  const forgotten = createSessionTokens({ signingKey: next.pem, clock })
  expect(forgotten.verify(old)).toBeNull()
})

test('returns its public keys, and nothing of the private one', () => {
  const next = newKey()
  const { publicKeys } = createSessionTokens({
    signingKey: next.pem,
    verificationKeys: [publicPem],
    clock
  })
  const [first, second] = publicKeys
  expect(publicKeys).toHaveLength(2)
  expect(second?.kid).toBe(goodHeader['kid'])
  expect(Object.keys(first ?? {})).toEqual(['kty', 'crv', 'x', 'y', 'kid', 'use', 'alg'])
  const jwk = first as unknown as JsonWebKeyInput['key']
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  expect(key.equals(createPublicKey(next.privateKey))).toBe(true)
})

test('rejects a key of another kind at startup', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const wrong = [newKey('P-384').pem, rsa.export({ type: 'pkcs8', format: 'pem' }).toString(), 'x']
  for (const signingKey of wrong) {
    expect(() => createSessionTokens({ signingKey, clock })).toThrow()
  }
})
