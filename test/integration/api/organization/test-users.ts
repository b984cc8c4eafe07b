/** Creates users with accounts and memberships, logged in over HTTP. */
import { randomUUID } from 'node:crypto'
import { hashPassword } from '../../../../platform/security/password.ts'
import type { Answer, Scene, Sending } from '../scene.ts'

export const password = 'correct horse battery staple'
const passwordHash = hashPassword(password)

export interface TestUser {
  readonly user_id: string
  readonly email: string
  readonly token: string
  send<Body = Record<string, unknown>>(
    method: Sending['method'],
    path: string,
    body?: unknown
  ): Promise<Answer<Body>>
}

/** Creates an organization without members. */
export async function createOrganization(scene: Scene, name = 'Acme Agents'): Promise<string> {
  const id = randomUUID()
  await scene.database.query(`insert into organizations (organization_id, name) values ($1, $2)`, [
    id,
    name
  ])
  return id
}

/** Creates a user with this role in the organization and logs them in. */
export async function createMember(
  scene: Scene,
  organizationId: string,
  role: string
): Promise<TestUser> {
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
  { user_id, email }: Pick<TestUser, 'user_id' | 'email'>
): Promise<TestUser> {
  const { status, body, text } = await scene.post('/v1/auth/login', { email, password })
  if (status !== 200) throw new Error(`the login got ${status}: ${text}`)
  const token = String(body['access_token'])
  return { user_id, email, token, send: sendAs(scene, token) }
}

export function withToken(scene: Scene, user: TestUser, token: string): TestUser {
  return { ...user, token, send: sendAs(scene, token) }
}

function sendAs(scene: Scene, token: string): TestUser['send'] {
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

interface AuditLine {
  readonly action: string
  readonly target: string | null
  readonly details: unknown
}

/** Returns the audit log of an organization, oldest first, without session entries. */
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
