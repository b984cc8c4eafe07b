/** People of the scene: they register, log in and read their letters. */
import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { waitUntil } from '../../support/wait-until.ts'
import type { Answer, Scene } from './scene.ts'

export const password = 'correct horse battery staple'

export interface Opened {
  readonly access_token: string
  readonly refresh_token: string
  readonly organization_id: string
}

export interface Registered extends Opened {
  readonly user: { readonly id: string; readonly email: string; readonly email_verified: boolean }
  readonly organization: { readonly id: string; readonly name: string }
  readonly api_key: { readonly id: string; readonly key: string } | null
  readonly next: readonly { readonly method: string; readonly path: string }[]
}

export interface Refusal {
  readonly code: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

export function newEmail(): string {
  return `${randomUUID()}@example.com`
}

/** Registers and, where an email brings a token, confirms with it. */
export async function register(
  scene: Scene,
  more: Record<string, unknown> = {}
): Promise<Answer<Registered>> {
  const body = { email: newEmail(), password, organization_name: 'Example', ...more }
  const asked = await scene.post<Registered>('/v1/auth/register', body)
  if (asked.status !== 202) return asked
  return confirm(scene, await tokenOfLetter(scene, body.email), body.password)
}

export function confirm<Body = Registered>(
  scene: Scene,
  token: string,
  with_ = password
): Promise<Answer<Body>> {
  return scene.post<Body>('/v1/auth/register/confirm', { token, password: with_ })
}

/** Logs in from another address of this machine. */
export function logInFrom(
  scene: Scene,
  localAddress: string,
  login: { readonly email: string; readonly password: string }
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const options = { method: 'POST', localAddress, headers, agent: false }
    const sent = request(`${scene.url}/v1/auth/login`, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject).end(JSON.stringify(login))
  })
}

export function logIn(scene: Scene, email: string, with_ = password): Promise<Answer<Opened>> {
  return scene.post<Opened>('/v1/auth/login', { email, password: with_ })
}

export function refresh<Body = Opened>(scene: Scene, refresh_token: string): Promise<Answer<Body>> {
  return scene.post<Body>('/v1/auth/refresh', { refresh_token })
}

interface LetterFile {
  readonly text: string
  readonly mode: number
}

export async function lettersTo(scene: Scene, email: string): Promise<LetterFile[]> {
  const names = (await readdir(scene.mailFolder)).toSorted()
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(scene.mailFolder, name)
      return { text: await readFile(path, 'utf8'), mode: (await stat(path)).mode & 0o777 }
    })
  )
  return files.filter(({ text }) => text.includes(`To: ${email}`))
}

/** The token of the so-manieth letter to an address. */
export async function tokenOfLetter(scene: Scene, email: string, number = 1): Promise<string> {
  const letter = await waitUntil(
    'a letter',
    async () => (await lettersTo(scene, email))[number - 1]
  )
  const [token] = /sl[ceip]_[\w-]{43}/.exec(letter.text) ?? []
  if (token === undefined) throw new Error(`the letter has no token: ${letter.text}`)
  return token
}

export async function countLetters(scene: Scene, email: string): Promise<number> {
  return (await lettersTo(scene, email)).length
}
