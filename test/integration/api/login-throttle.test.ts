/** Tests login limits over HTTP with a database: ten wrong passwords block the address that sent
 * them; a hundred block every address from which the user has not recently logged in.
 */
import { beforeAll, expect, test } from '@jest/globals'
import { logInFrom, password, register } from './account-scene.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
const wrong = 'not the password'

beforeAll(async () => {
  scene = await createScene()
})

const registerUser = async (): Promise<string> => (await register(scene)).body.user.email

test('does not lock an account after ten wrong passwords from ten addresses', async () => {
  const email = await registerUser()
  for (let host = 1; host <= 10; host++) {
    expect(await logInFrom(scene, `127.0.4.${host}`, { email, password: wrong })).toBe(401)
  }
  expect(await logInFrom(scene, '127.0.5.1', { email, password })).toBe(200)
})

test('rejects only the address that sent ten wrong passwords', async () => {
  const email = await registerUser()
  for (let time = 1; time <= 10; time++) {
    expect(await logInFrom(scene, '127.0.6.1', { email, password: wrong })).toBe(401)
  }
  expect(await logInFrom(scene, '127.0.6.1', { email, password })).toBe(429)
  expect(await logInFrom(scene, '127.0.6.2', { email, password })).toBe(200)
})

test('rejects addresses that never logged in after a hundred wrong passwords', async () => {
  const email = await registerUser()
  expect(await logInFrom(scene, '127.0.7.1', { email, password })).toBe(200)
  const hosts = Array.from({ length: 10 }, (_, index) => `127.0.8.${index + 1}`)
  for (let time = 1; time <= 10; time++) {
    const guesses = hosts.map((host) => logInFrom(scene, host, { email, password: wrong }))
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([401]))
  }
  expect(await logInFrom(scene, '127.0.7.2', { email, password })).toBe(429)
  expect(await logInFrom(scene, '127.0.7.1', { email, password })).toBe(200)
  await scene.database.query(`update sessions set created_at = now() - interval '91 days'`)
  expect(await logInFrom(scene, '127.0.7.1', { email, password })).toBe(429)
})
