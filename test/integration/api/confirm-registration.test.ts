/** Tests over HTTP with a database that confirming a registration requires its token and its
 * password.
 */
import { beforeAll, expect, test } from '@jest/globals'
import { confirm, logIn, newEmail, password, tokenOfEmail } from './account-scene.ts'
import type { ProblemBody } from './account-scene.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

/** @returns the email */
async function registerAs(email = newEmail(), with_ = password): Promise<string> {
  const body = { email, password: with_, organization_name: 'Example' }
  expect((await scene.post('/v1/auth/register', body)).status).toBe(202)
  return email
}

test('gives no account to a stranger who registers the email of another person', async () => {
  const ofStranger = 'the password of a stranger'
  const email = await registerAs(newEmail(), ofStranger)
  const token = await tokenOfEmail(scene, email)
  const alone = await scene.post<ProblemBody>('/v1/auth/register/confirm', { token })
  expect([alone.status, alone.body.errors?.[0]?.pointer]).toEqual([422, '/password'])
  const { status, headers, body } = await confirm<ProblemBody>(scene, token)
  expect([status, body.code]).toEqual([401, 'login_failed'])
  expect(headers.get('www-authenticate')).toContain('Bearer')
  expect((await logIn(scene, email, ofStranger)).status).toBe(401)
  // The owner of the email then registers too and confirms with the new token.
  await registerAs(email)
  const own = await tokenOfEmail(scene, email, 2)
  expect((await confirm(scene, own, ofStranger)).status).toBe(401)
  expect((await confirm(scene, own)).status).toBe(201)
  expect((await logIn(scene, email, ofStranger)).status).toBe(401)
  expect((await logIn(scene, email)).status).toBe(200)
})

test('accepts 10 wrong passwords per token, which do not use it up', async () => {
  const email = await registerAs()
  const token = await tokenOfEmail(scene, email)
  const guess = async () => (await confirm(scene, token, 'not the password')).status
  for (let time = 0; time < 9; time++) expect(await guess()).toBe(401)
  const other = await registerAs()
  const unguessed = await tokenOfEmail(scene, other)
  expect((await confirm(scene, unguessed, 'not the password')).status).toBe(401)
  expect((await confirm(scene, unguessed)).status).toBe(201)
  expect([await guess(), await guess()]).toEqual([401, 429])
  const throttled = await confirm<ProblemBody>(scene, token)
  expect([throttled.status, throttled.body.code]).toEqual([429, 'login_throttled'])
})
