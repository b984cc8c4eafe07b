/** Provides helpers for account tests: register, confirm, log in, and read emails. */
import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { waitUntil } from '../../support/wait-until.ts'
import type { Answer, Scene } from './scene.ts'

export const password = 'correct horse battery staple'

export interface SessionBody {
  readonly access_token: string
  readonly refresh_token: string
  readonly organization_id: string
}

export interface Registered extends SessionBody {
  readonly user: { readonly id: string; readonly email: string; readonly email_verified: boolean }
  readonly organization: { readonly id: string; readonly name: string }
  readonly api_key: { readonly id: string; readonly key: string } | null
  readonly next: readonly { readonly method: string; readonly path: string }[]
}

export interface ProblemBody {
  readonly code: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

export function newEmail(): string {
  return `${randomUUID()}@example.com`
}

/**
 * Registers a user. If the response is 202, confirms the registration with the token from the
 * email.
 */
export async function register(
  scene: Scene,
  more: Record<string, unknown> = {}
): Promise<Answer<Registered>> {
  const body = { email: newEmail(), password, organization_name: 'Example', ...more }
  const requested = await scene.post<Registered>('/v1/auth/register', body)
  if (requested.status !== 202) return requested
  return confirm(scene, await tokenOfEmail(scene, body.email), body.password)
}

export function confirm<Body = Registered>(
  scene: Scene,
  token: string,
  with_ = password
): Promise<Answer<Body>> {
  return scene.post<Body>('/v1/auth/register/confirm', { token, password: with_ })
}

/** Logs in from this local address and returns the response status. */
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

export function logIn(scene: Scene, email: string, with_ = password): Promise<Answer<SessionBody>> {
  return scene.post<SessionBody>('/v1/auth/login', { email, password: with_ })
}

export function refresh<Body = SessionBody>(
  scene: Scene,
  refresh_token: string
): Promise<Answer<Body>> {
  return scene.post<Body>('/v1/auth/refresh', { refresh_token })
}

interface EmailFile {
  readonly text: string
  readonly mode: number
}

export async function emailsTo(
  { mailFolder }: Pick<Scene, 'mailFolder'>,
  email: string
): Promise<EmailFile[]> {
  const names = (await readdir(mailFolder)).toSorted()
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(mailFolder, name)
      return { text: await readFile(path, 'utf8'), mode: (await stat(path)).mode & 0o777 }
    })
  )
  return files.filter(({ text }) => text.includes(`To: ${email}`))
}

/** Returns the token from the `number`-th email to the address. */
export async function tokenOfEmail(scene: Scene, address: string, number = 1): Promise<string> {
  const email = await waitUntil(
    'the email',
    async () => (await emailsTo(scene, address))[number - 1]
  )
  const [token] = /sl[ceip]_[\w-]{43}/.exec(email.text) ?? []
  if (token === undefined) throw new Error(`the email has no token: ${email.text}`)
  return token
}

export async function countEmails(scene: Scene, email: string): Promise<number> {
  return (await emailsTo(scene, email)).length
}
