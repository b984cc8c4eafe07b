/** People with accounts of their own, logged in as anybody logs in. */
import { randomUUID } from 'node:crypto'
import { hashPassword } from '../../../../platform/security/password.ts'
import type { Answer, Scene, Sending } from '../scene.ts'

export const password = 'correct horse battery staple'
const passwordHash = hashPassword(password)

export interface Person {
  readonly user_id: string
  readonly email: string
  readonly token: string
  send<Body = Record<string, unknown>>(
    method: Sending['method'],
    path: string,
    body?: unknown
  ): Promise<Answer<Body>>
}

/** A new organization without anybody in it. */
export async function createOrganization(scene: Scene, name = 'Acme Agents'): Promise<string> {
  const id = randomUUID()
  await scene.database.query(`insert into organizations (organization_id, name) values ($1, $2)`, [
    id,
    name
  ])
  return id
}

/** Somebody who belongs to this organization with that role. */
export async function createPerson(
  scene: Scene,
  organizationId: string,
  role: string
): Promise<Person> {
  const user_id = randomUUID()
  const email = `${user_id}@example.com`
  await scene.database.query(
    `insert into users (user_id, email, password_hash) values ($1, $2, $3)`,
    [user_id, email, await passwordHash]
  )
  await scene.database.query(
    `insert into memberships (organization_id, user_id, role) values ($1, $2, $3)`,
    [organizationId, user_id, role]
  )
  return logIn(scene, { user_id, email })
}

async function logIn(
  scene: Scene,
  { user_id, email }: Pick<Person, 'user_id' | 'email'>
): Promise<Person> {
  const { status, body, text } = await scene.post('/v1/auth/login', { email, password })
  if (status !== 200) throw new Error(`the login was answered ${status}: ${text}`)
  const token = String(body['access_token'])
  return { user_id, email, token, send: sendAs(scene, token) }
}

/** The same person with another token. */
export function withToken(scene: Scene, person: Person, token: string): Person {
  return { ...person, token, send: sendAs(scene, token) }
}

function sendAs(scene: Scene, token: string): Person['send'] {
  return async <Body>(method: Sending['method'], path: string, body?: unknown) => {
    const response = await fetch(`${scene.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' })
      },
      body: body === undefined ? null : JSON.stringify(body)
    })
    const { status, headers } = response
    const text = await response.text()
    return { status, headers, text, body: JSON.parse(text) as Body }
  }
}

export interface AuditLine {
  readonly action: string
  readonly target: string | null
  readonly details: unknown
}

/** The audit log of an organization as it is stored, the oldest first, without the logins. */
export async function auditOf(scene: Scene, organizationId: string): Promise<AuditLine[]> {
  const rows = await scene.database.query<Omit<AuditLine, 'details'> & { details: string | null }>(
    `select action, target_id as target, details from audit_log
      where organization_id = $1 and action not like 'session.%' order by created_at`,
    [organizationId]
  )
  return rows.map(({ details, ...row }) => {
    return { ...row, details: JSON.parse(details ?? 'null') as unknown }
  })
}
