/** Tests invites over HTTP with a database: sending, accepting, expiry, permissions and limits. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { userRoles } from '../../../../core/user-role.ts'
import { invitesLimit, invitesToOneLimit } from '../../../../api/accounts/throttle.ts'
import { tokenOfEmail } from '../account-scene.ts'
import { createScene } from '../scene.ts'
import type { Scene } from '../scene.ts'
import { auditOf, createOrganization, createMember, password } from './test-users.ts'
import type { TestUser } from './test-users.ts'

const invites = '/v1/auth/organization/invites'
const accept = '/v1/auth/invites/accept'
let scene: Scene

beforeAll(async () => {
  scene = await createScene(undefined, { REGISTRATION: 'invite' })
})

interface Invite extends Record<string, unknown> {
  readonly invite_id: string
  readonly token: string
}

interface Listed {
  readonly data: readonly Record<string, unknown>[]
}

async function invite(by: TestUser, email: string, role = 'member'): Promise<Invite> {
  const { status, body, text } = await by.send<Invite>('POST', invites, { email, role })
  if (status !== 201) throw new Error(`answered ${status}: ${text}`)
  return body
}

async function listed(by: TestUser): Promise<readonly Record<string, unknown>[]> {
  return (await by.send<Listed>('GET', invites)).body.data
}

/** Creates an organization with its owner, and a user of another organization. */
async function createTwoOrganizations() {
  const id = await createOrganization(scene, 'Acme Agents')
  const owner = await createMember(scene, id, 'owner')
  const guest = await createMember(scene, await createOrganization(scene), 'owner')
  return { id, owner, guest }
}

describe('an invite', () => {
  test('does not revive a session of an earlier membership', async () => {
    const { id, owner, guest } = await createTwoOrganizations()
    const join = async () => {
      const { token } = await invite(owner, guest.email)
      return (await guest.send('POST', accept, { token })).status
    }
    expect(await join()).toBe(200)
    const login = { email: guest.email, password, organization_id: id }
    const { body } = await scene.post<{ refresh_token: string }>('/v1/auth/login', login)
    // Deletes the membership without ending the session, as if the database had failed between the
    // two steps.
    await scene.database.query(
      `delete from memberships where organization_id = $1 and user_id = $2`,
      [id, guest.user_id]
    )
    expect(await join()).toBe(200)
    const again = await scene.post('/v1/auth/refresh', { refresh_token: body.refresh_token })
    expect([again.status, again.body['code']]).toEqual([401, 'refresh_invalid'])
  })

  test('makes a user with the email and the token a member, once', async () => {
    const { id, owner, guest } = await createTwoOrganizations()
    const { token, ...made } = await invite(owner, ` ${guest.email.toUpperCase()} `, 'admin')
    expect(token).toMatch(/^sli_[\w-]{43}$/)
    expect(made).toEqual({
      ...{ invite_id: expect.any(String), email: guest.email, role: 'admin', state: 'pending' },
      ...{ invited_by: owner.user_id, created_at: expect.any(String) },
      expires_at: expect.any(String)
    })
    const days = Date.parse(String(made['expires_at'])) - Date.parse(String(made['created_at']))
    expect(days).toBe(7 * 86_400_000)
    expect(await listed(owner)).toEqual([made])

    const accepted = await guest.send('POST', accept, { token })
    expect([accepted.status, accepted.body]).toEqual([
      200,
      { organization_id: id, name: 'Acme Agents', role: 'admin' }
    ])
    const again = await guest.send('POST', accept, { token })
    expect([again.status, again.body['code']]).toEqual([422, 'token_invalid'])
    expect(await listed(owner)).toEqual([])
    const details = { email: guest.email, role: 'admin' }
    const log = await auditOf(scene, id)
    expect(log).toEqual([
      { action: 'invite.created', target: made.invite_id, details },
      { action: 'invite.accepted', target: made.invite_id, details }
    ])
    expect(JSON.stringify(log)).not.toContain(token)
  })

  test('lets a user without an organization join at the login', async () => {
    const { id, owner } = await createTwoOrganizations()
    const gone = await createMember(scene, id, 'member')
    await owner.send('DELETE', `/v1/auth/organization/members/${gone.user_id}`)
    const login = { email: gone.email, password }
    const refused = await scene.post('/v1/auth/login', login)
    expect([refused.status, refused.body['code']]).toEqual([404, 'organization_not_found'])

    const other = await invite(owner, `${randomUUID()}@example.com`)
    const wrong = await scene.post('/v1/auth/login', { ...login, invite_token: other.token })
    expect([wrong.status, wrong.body['code']]).toEqual([422, 'token_invalid'])
    const { token } = await invite(owner, gone.email, 'viewer')
    const guessed = { ...login, password: 'wrong', invite_token: token }
    expect((await scene.post('/v1/auth/login', guessed)).status).toBe(401)

    const back = await scene.post('/v1/auth/login', { ...login, invite_token: token })
    expect([back.status, back.body['organization_id']]).toEqual([200, id])
    const members = await owner.send<Listed>('GET', '/v1/auth/organization/members')
    expect(members.body.data).toContainEqual(
      expect.objectContaining({ user_id: gone.user_id, role: 'viewer' })
    )
  })

  test('shows its token only in the email where registration is open', async () => {
    const { owner } = await createTwoOrganizations()
    const url = await scene.serveAnother({ REGISTRATION: 'open' })
    const email = `${randomUUID()}@example.com`
    const answer = await fetch(`${url}${invites}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email, role: 'viewer' })
    })
    expect([answer.status, ((await answer.json()) as Invite).token]).toEqual([201, null])
    const invite_token = await tokenOfEmail(scene, email)
    const body = { email, password: 'correct horse battery staple', invite_token }
    expect((await scene.post('/v1/auth/register', body)).status).toBe(201)
  })

  test('is stored without its token', async () => {
    const { owner, guest } = await createTwoOrganizations()
    const { token } = await invite(owner, guest.email)
    const rows = await scene.database.query('select invites::text as row from invites', [])
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('is rejected for another email, and stays valid for the right one', async () => {
    const { owner, guest } = await createTwoOrganizations()
    const { token } = await invite(owner, guest.email)
    const eve = await createMember(scene, await createOrganization(scene), 'owner')
    const stolen = await eve.send('POST', accept, { token })
    const guessed = await eve.send('POST', accept, { token: `sli_${'x'.repeat(43)}` })
    expect([stolen.status, stolen.body['code']]).toEqual([422, 'token_invalid'])
    expect({ ...stolen.body, request_id: '' }).toEqual({ ...guessed.body, request_id: '' })
    expect((await guest.send('POST', accept, { token })).status).toBe(200)
  })

  test('ends when it expires, is withdrawn or is replaced', async () => {
    const { owner, guest } = await createTwoOrganizations()
    const replaced = await invite(owner, guest.email)
    const withdrawn = await invite(owner, guest.email, 'viewer')
    const path = `${invites}/${withdrawn.invite_id}`
    expect((await owner.send('DELETE', path)).body).toEqual({
      ...{ invite_id: withdrawn.invite_id, deleted: true }
    })
    expect((await owner.send('DELETE', path)).body['code']).toBe('invite_not_found')
    const late = await invite(owner, guest.email)
    await scene.database.query(
      `update invites set expires_at = now() - interval '1 second' where invite_id = $1`,
      [late.invite_id]
    )
    for (const { token } of [replaced, withdrawn, late]) {
      expect((await guest.send('POST', accept, { token })).body['code']).toBe('token_invalid')
    }
    expect(await listed(owner)).toEqual([expect.objectContaining({ state: 'expired' })])
  })

  test('makes one member when it is accepted several times concurrently', async () => {
    const { owner, guest } = await createTwoOrganizations()
    const { token } = await invite(owner, guest.email)
    const answers = await Promise.all([1, 2, 3, 4].map(() => guest.send('POST', accept, { token })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422])
  })

  test('is withdrawn when its sender can no longer create it', async () => {
    const { id, owner, guest } = await createTwoOrganizations()
    const admin = await createMember(scene, id, 'admin')
    const { token } = await invite(admin, guest.email)
    await owner.send('DELETE', `/v1/auth/organization/members/${admin.user_id}`)
    expect((await guest.send('POST', accept, { token })).body['code']).toBe('token_invalid')
  })

  test('cannot be sent to a member', async () => {
    const { id, owner } = await createTwoOrganizations()
    const member = await createMember(scene, id, 'member')
    const again = await owner.send('POST', invites, { email: member.email, role: 'admin' })
    expect([again.status, again.body['code']]).toEqual([409, 'already_member'])
  })

  test('of another organization gets the same response as an unknown invite', async () => {
    const { owner, guest } = await createTwoOrganizations()
    const { invite_id } = await invite(owner, guest.email)
    const answers = await Promise.all(
      [invite_id, randomUUID()].map((id) => guest.send('DELETE', `${invites}/${id}`))
    )
    for (const { status, body } of answers) {
      expect([status, body['code']]).toEqual([404, 'invite_not_found'])
    }
    expect(await listed(owner)).toHaveLength(1)
  })

  test.each(['ada', 'ada@example', 'a b@example.com', 'ada@example.com\nBcc: eve@example.com'])(
    'is rejected for %j',
    async (email) => {
      const { owner } = await createTwoOrganizations()
      const { status, body } = await owner.send('POST', invites, { email, role: 'member' })
      expect([status, body['errors']]).toEqual([
        422,
        [{ pointer: '/email', detail: expect.stringContaining('must be an email address') }]
      ])
    }
  )

  test('is limited per day', async () => {
    const { owner } = await createTwoOrganizations()
    const statuses = new Set<number>()
    for (let made = 0; made < invitesLimit.points; made += 1) {
      const email = `guest-${made}@example.com`
      statuses.add((await owner.send('POST', invites, { email, role: 'viewer' })).status)
    }
    expect([...statuses]).toEqual([201])
    const refused = await owner.send('POST', invites, { email: 'a@example.com', role: 'viewer' })
    expect([refused.status, refused.body['code']]).toEqual([429, 'login_throttled'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('is limited per address and hour, not for other addresses', async () => {
    const body = { email: `${randomUUID()}@example.com`, role: 'viewer' }
    const { owner } = await createTwoOrganizations()
    const statuses: number[] = []
    for (let sent = 0; sent <= invitesToOneLimit.points; sent += 1) {
      statuses.push((await owner.send('POST', invites, body)).status)
    }
    expect(statuses).toEqual([...Array<number>(invitesToOneLimit.points).fill(201), 429])
    const another = { ...body, email: `${randomUUID()}@example.com` }
    expect((await owner.send('POST', invites, another)).status).toBe(201)
  })
})

test('lets admins invite any role but owner, and owners any role', async () => {
  const id = await createOrganization(scene)
  for (const actor of userRoles) {
    const actorUser = await createMember(scene, id, actor)
    for (const role of userRoles) {
      const needed = role === 'owner' ? ['owner'] : ['owner', 'admin']
      const email = `${randomUUID()}@example.com`
      const { status } = await actorUser.send('POST', invites, { email, role })
      const expected = needed.includes(actor) ? 201 : 403
      expect({ actor, role, status }).toEqual({ actor, role, status: expected })
    }
    const seen = await actorUser.send('GET', invites)
    expect([actor, seen.status]).toEqual([actor, ['owner', 'admin'].includes(actor) ? 200 : 403])
  }
})
