/** Inviting people, over HTTP and a real store. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { userRoles } from '../../../../core/user-role.ts'
import {
  invitesPerDay,
  invitesToOnePerHour
} from '../../../../api/organization/invites/throttle-invites.ts'
import { tokenOfLetter } from '../account-scene.ts'
import { createScene } from '../scene.ts'
import type { Scene } from '../scene.ts'
import { auditOf, createOrganization, createPerson, password } from './people.ts'
import type { Person } from './people.ts'

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

async function invite(by: Person, email: string, role = 'member'): Promise<Invite> {
  const { status, body, text } = await by.send<Invite>('POST', invites, { email, role })
  if (status !== 201) throw new Error(`answered ${status}: ${text}`)
  return body
}

async function listed(by: Person): Promise<readonly Record<string, unknown>[]> {
  return (await by.send<Listed>('GET', invites)).body.data
}

/** An organization with its owner, and somebody of another one. */
async function strangers() {
  const id = await createOrganization(scene, 'Acme Agents')
  const owner = await createPerson(scene, id, 'owner')
  const guest = await createPerson(scene, await createOrganization(scene), 'owner')
  return { id, owner, guest }
}

describe('an invite', () => {
  test('brings no session of an earlier membership back', async () => {
    const { id, owner, guest } = await strangers()
    const join = async () => {
      const { token } = await invite(owner, guest.email)
      return (await guest.send('POST', accept, { token })).status
    }
    expect(await join()).toBe(200)
    const login = { email: guest.email, password, organization_id: id }
    const { body } = await scene.post<{ refresh_token: string }>('/v1/auth/login', login)
    // As where the store was away in the moment after the member was removed.
    await scene.database.query(
      `delete from memberships where organization_id = $1 and user_id = $2`,
      [id, guest.user_id]
    )
    expect(await join()).toBe(200)
    const again = await scene.post('/v1/auth/refresh', { refresh_token: body.refresh_token })
    expect([again.status, again.body['code']]).toEqual([401, 'refresh_invalid'])
  })

  test('makes a member of whoever has the email and the token, once', async () => {
    const { id, owner, guest } = await strangers()
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

  test('lets somebody in who belongs to no organization any more, with the login', async () => {
    const { id, owner } = await strangers()
    const gone = await createPerson(scene, id, 'member')
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

  test('shows its token to nobody but the person invited, where anybody may register', async () => {
    const { owner } = await strangers()
    const url = await scene.serveAnother({ REGISTRATION: 'open' })
    const email = `${randomUUID()}@example.com`
    const answer = await fetch(`${url}${invites}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email, role: 'viewer' })
    })
    expect([answer.status, ((await answer.json()) as Invite).token]).toEqual([201, null])
    const invite_token = await tokenOfLetter(scene, email)
    const body = { email, password: 'correct horse battery staple', invite_token }
    expect((await scene.post('/v1/auth/register', body)).status).toBe(201)
  })

  test('is stored without its token', async () => {
    const { owner, guest } = await strangers()
    const { token } = await invite(owner, guest.email)
    const rows = await scene.database.query('select invites::text as row from invites', [])
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('is worth nothing to somebody with another email, and stays for the right one', async () => {
    const { owner, guest } = await strangers()
    const { token } = await invite(owner, guest.email)
    const eve = await createPerson(scene, await createOrganization(scene), 'owner')
    const stolen = await eve.send('POST', accept, { token })
    const guessed = await eve.send('POST', accept, { token: `sli_${'x'.repeat(43)}` })
    expect([stolen.status, stolen.body['code']]).toEqual([422, 'token_invalid'])
    expect({ ...stolen.body, request_id: '' }).toEqual({ ...guessed.body, request_id: '' })
    expect((await guest.send('POST', accept, { token })).status).toBe(200)
  })

  test('ends after its time, when it is withdrawn, and when another takes its place', async () => {
    const { owner, guest } = await strangers()
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

  test('accepted twice at once makes one member', async () => {
    const { owner, guest } = await strangers()
    const { token } = await invite(owner, guest.email)
    const answers = await Promise.all([1, 2, 3, 4].map(() => guest.send('POST', accept, { token })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422])
  })

  test('of a member who may not make it any more is withdrawn', async () => {
    const { id, owner, guest } = await strangers()
    const admin = await createPerson(scene, id, 'admin')
    const { token } = await invite(admin, guest.email)
    await owner.send('DELETE', `/v1/auth/organization/members/${admin.user_id}`)
    expect((await guest.send('POST', accept, { token })).body['code']).toBe('token_invalid')
  })

  test('is not for members', async () => {
    const { id, owner } = await strangers()
    const member = await createPerson(scene, id, 'member')
    const again = await owner.send('POST', invites, { email: member.email, role: 'admin' })
    expect([again.status, again.body['code']]).toEqual([409, 'already_member'])
  })

  test('of another organization is as one that there is not', async () => {
    const { owner, guest } = await strangers()
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
    'to %j is refused',
    async (email) => {
      const { owner } = await strangers()
      const { status, body } = await owner.send('POST', invites, { email, role: 'member' })
      expect([status, body['errors']]).toEqual([
        422,
        [{ pointer: '/email', detail: expect.stringContaining('must be an email address') }]
      ])
    }
  )

  test('has a limit by the day', async () => {
    const { owner } = await strangers()
    const statuses = new Set<number>()
    for (let made = 0; made < invitesPerDay; made += 1) {
      const email = `somebody-${made}@example.com`
      statuses.add((await owner.send('POST', invites, { email, role: 'viewer' })).status)
    }
    expect([...statuses]).toEqual([201])
    const refused = await owner.send('POST', invites, { email: 'a@example.com', role: 'viewer' })
    expect([refused.status, refused.body['code']]).toEqual([429, 'login_throttled'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('an address is invited a few times in an hour, and others go on', async () => {
    const body = { email: `${randomUUID()}@example.com`, role: 'viewer' }
    const { owner } = await strangers()
    const statuses: number[] = []
    for (let sent = 0; sent <= invitesToOnePerHour; sent += 1) {
      statuses.push((await owner.send('POST', invites, body)).status)
    }
    expect(statuses).toEqual([...Array<number>(invitesToOnePerHour).fill(201), 429])
    const another = { ...body, email: `${randomUUID()}@example.com` }
    expect((await owner.send('POST', invites, another)).status).toBe(201)
  })
})

test('who may invite whom: admins everybody but owners, owners everybody', async () => {
  const id = await createOrganization(scene)
  for (const actor of userRoles) {
    const person = await createPerson(scene, id, actor)
    for (const role of userRoles) {
      const needed = role === 'owner' ? ['owner'] : ['owner', 'admin']
      const email = `${randomUUID()}@example.com`
      const { status } = await person.send('POST', invites, { email, role })
      const expected = needed.includes(actor) ? 201 : 403
      expect({ actor, role, status }).toEqual({ actor, role, status: expected })
    }
    const seen = await person.send('GET', invites)
    expect([actor, seen.status]).toEqual([actor, ['owner', 'admin'].includes(actor) ? 200 : 403])
  }
})
