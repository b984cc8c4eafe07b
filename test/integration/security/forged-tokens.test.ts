/** Tests that every kind of route rejects forged access tokens with 401. */
import { createPrivateKey } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createForgery } from '../../support/token-forgery.ts'
import { createScene } from '../api/scene.ts'

const scene = await createScene()
const { forge, corpus } = createForgery(scene.token, createPrivateKey(scene.signingKey))
const paths = ['/v1/auth/me', '/v1/decisions', '/v1/profiles', '/v1/evaluation/rules']

async function ask(path: string, credential: string) {
  const headers = { authorization: `Bearer ${credential}` }
  const { status, headers: said } = await fetch(`${scene.url}${path}`, { headers })
  return { status, challenge: said.get('www-authenticate') }
}

/** Forged tokens that can be sent in an HTTP header. */
const sendable = corpus.filter(([, forged]) => /^[!-~]*$/.test(forged) && forged.length < 15_000)

test('accepts an unmodified token of the forger', async () => {
  for (const path of paths) expect((await ask(path, forge({}, {}))).status).toBe(200)
})

test('can send most of the corpus', () => {
  expect(corpus.length - sendable.length).toBeLessThanOrEqual(2)
})

test.each(sendable)('401 for %s', async (_, forged) => {
  for (const path of paths) {
    const { status, challenge } = await ask(path, forged)
    expect({ path, status }).toEqual({ path, status: 401 })
    expect(challenge).toMatch(/^Bearer/)
  }
})

test('returns 431 for a token that exceeds the header limit', async () => {
  expect((await ask('/v1/auth/me', 'A'.repeat(20_000))).status).toBe(431)
})
