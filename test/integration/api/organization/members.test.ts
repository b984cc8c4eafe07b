/** Tests members over HTTP with a database: listing, role changes, removal and switching
 * organizations.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { userRoles } from '../../../../core/user-role.ts'
import { createScene } from '../scene.ts'
import type { Scene } from '../scene.ts'
import { auditOf, createOrganization, createMember, withToken } from './test-users.ts'

const root = '/v1/auth/organization'
const members = `${root}/members`
let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

interface Listed {
  readonly data: readonly { readonly user_id: string; readonly role: string }[]
  readonly meta: { readonly next_cursor: string | null }
}

async function rolesIn(organizationId: string): Promise<Record<string, string>> {
  const rows = await scene.database.query<{ user_id: string; role: string }>(
    `select user_id, role from memberships where organization_id = $1`,
    [organizationId]
  )
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
}

describe('the organization', () => {
  test('can be read by every member and renamed by admins', async () => {
    const id = await createOrganization(scene, 'Before')
    const admin = await createMember(scene, id, 'admin')
    const viewer = await createMember(scene, id, 'viewer')
    expect((await viewer.send('PATCH', root, { name: 'Taken' })).status).toBe(403)
    const renamed = await admin.send('PATCH', root, { name: 'After' })
    expect([renamed.status, renamed.body['name'], renamed.body['role']]).toEqual([
      ...[200, 'After', 'admin']
    ])
    const shown = await viewer.send('GET', root)
    expect(shown.body).toEqual({
      ...{ organization_id: id, name: 'After', rate_limit_points: null, members: 2 },
      ...{ role: 'viewer', created_at: expect.any(String) }
    })
    const renaming = { action: 'organization.renamed', target: id, details: { name: 'After' } }
    expect(await auditOf(scene, id)).toEqual([renaming])
  })
})

describe('the list of members', () => {
  test('is sorted by email, paged, and contains only the own organization', async () => {
    const id = await createOrganization(scene)
    const users = await Promise.all(userRoles.map((role) => createMember(scene, id, role)))
    const viewer = users.find((_, index) => userRoles[index] === 'viewer')
    const expected = users.map(({ email }) => email).sort()
    const seen: unknown[] = []
    let cursor = ''
    for (let pages = 0; pages < 3; pages += 1) {
      const page = await viewer?.send<Listed>('GET', `${members}?limit=2${cursor}`)
      seen.push(...(page?.body.data ?? []))
      const next = page?.body.meta.next_cursor ?? null
      if (next === null) break
      cursor = `&cursor=${next}`
    }
    expect(seen).toEqual(
      expected.map((email) => expect.objectContaining({ email, email_verified: false }))
    )
  })
})

/** Every role change, with the expected status for each role of the actor. */
const matrix = userRoles.flatMap((actor) =>
  userRoles.flatMap((from) =>
    userRoles.map((to) => {
      const needed = from === 'owner' || to === 'owner' ? ['owner'] : ['owner', 'admin']
      return { actor, from, to, status: needed.includes(actor) ? 200 : 403 }
    })
  )
)

describe('changing a role', () => {
  test('requires an admin, and for owners an owner', async () => {
    const id = await createOrganization(scene)
    // With a second owner, the target is never the last owner.
    await createMember(scene, id, 'owner')
    const actors = new Map(
      await Promise.all(
        userRoles.map(async (role) => [role, await createMember(scene, id, role)] as const)
      )
    )
    const target = await createMember(scene, id, 'member')
    for (const { actor, from, to, status } of matrix) {
      await scene.database.query(
        `update memberships set role = $2 where user_id = $1 and organization_id = $3`,
        [target.user_id, from, id]
      )
      const path = `${members}/${target.user_id}`
      const answer = await actors.get(actor)?.send('PATCH', path, { role: to })
      const roles = await rolesIn(id)
      const expected = { actor, from, to, status, role: status === 200 ? to : from }
      const role = roles[target.user_id]
      expect({ actor, from, to, status: answer?.status, role }).toEqual(expected)
    }
    const entries = (await auditOf(scene, id)).map(({ action, details }) => ({ action, details }))
    const allowed = matrix.filter(({ from, to, status }) => status === 200 && from !== to)
    expect(entries).toEqual(
      allowed.map(({ from, to }) => ({
        action: 'member.role_changed',
        details: { email: target.email, from, to }
      }))
    )
  })

  test('takes effect at once on the gateway that changed it', async () => {
    const id = await createOrganization(scene)
    const owner = await createMember(scene, id, 'owner')
    const admin = await createMember(scene, id, 'admin')
    expect((await admin.send('GET', '/v1/auth/api-keys')).status).toBe(200)
    await owner.send('PATCH', `${members}/${admin.user_id}`, { role: 'viewer' })
    expect((await admin.send('GET', '/v1/auth/api-keys')).status).toBe(403)
  })

  test('is rejected for the last owner', async () => {
    const id = await createOrganization(scene)
    const owner = await createMember(scene, id, 'owner')
    await createMember(scene, id, 'admin')
    const path = `${members}/${owner.user_id}`
    const demoted = await owner.send('PATCH', path, { role: 'admin' })
    expect([demoted.status, demoted.body['code']]).toEqual([409, 'last_owner'])
    const left = await owner.send('DELETE', path)
    expect([left.status, left.body['code']]).toEqual([409, 'last_owner'])
    expect((await owner.send('PATCH', path, { role: 'owner' })).status).toBe(200)
  })

  test('keeps one of two owners who demote each other concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await createOrganization(scene)
      const one = await createMember(scene, id, 'owner')
      const other = await createMember(scene, id, 'owner')
      const answers = await Promise.all([
        one.send('PATCH', `${members}/${other.user_id}`, { role: 'member' }),
        other.send('PATCH', `${members}/${one.user_id}`, { role: 'member' })
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
      expect(Object.values(await rolesIn(id)).sort()).toEqual(['member', 'owner'])
    }
  })

  test('keeps one of several owners who leave concurrently', async () => {
    const id = await createOrganization(scene)
    const owners = await Promise.all([1, 2, 3, 4].map(() => createMember(scene, id, 'owner')))
    const answers = await Promise.all(
      owners.map(({ send, user_id }) => send('DELETE', `${members}/${user_id}`))
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409])
    expect(Object.values(await rolesIn(id))).toEqual(['owner'])
  })
})

/** Every removal of a member, with the expected status for each role of the actor. */
const removals = userRoles.flatMap((actor) =>
  userRoles.map((role) => {
    const needed = role === 'owner' ? ['owner'] : ['owner', 'admin']
    return { actor, role, status: needed.includes(actor) ? 200 : 403 }
  })
)

describe('removing a member', () => {
  test('requires an admin, and for owners an owner', async () => {
    const id = await createOrganization(scene)
    await createMember(scene, id, 'owner')
    for (const { actor, role, status } of removals) {
      const remover = await createMember(scene, id, actor)
      const target = await createMember(scene, id, role)
      const answer = await remover.send('DELETE', `${members}/${target.user_id}`)
      const isThere = target.user_id in (await rolesIn(id))
      expect({ actor, role, status: answer.status, isThere }).toEqual({
        ...{ actor, role, status, isThere: status !== 200 }
      })
    }
  })

  test('takes effect at once on this gateway, and members can remove themselves', async () => {
    const id = await createOrganization(scene)
    await createMember(scene, id, 'owner')
    const viewer = await createMember(scene, id, 'viewer')
    const left = await viewer.send('DELETE', `${members}/${viewer.user_id}`)
    expect([left.status, left.body]).toEqual([200, { user_id: viewer.user_id, deleted: true }])
    const after = await viewer.send('GET', root)
    expect([after.status, after.body['code']]).toEqual([401, 'session_invalid'])
    expect(await auditOf(scene, id)).toEqual([
      {
        action: 'member.left',
        target: viewer.user_id,
        details: { email: viewer.email, role: 'viewer' }
      }
    ])
  })

  test.each(['PATCH', 'DELETE'] as const)(
    '%s reveals nothing about members of other organizations',
    async (method) => {
      const owner = await createMember(scene, await createOrganization(scene), 'owner')
      const stranger = await createMember(scene, await createOrganization(scene), 'owner')
      const body = method === 'PATCH' ? { role: 'viewer' } : undefined
      const foreign = await owner.send(method, `${members}/${stranger.user_id}`, body)
      const unknown = randomUUID()
      const missing = await owner.send(method, `${members}/${unknown}`, body)
      expect([foreign.status, foreign.body['code']]).toEqual([404, 'member_not_found'])
      const comparable = (text: string): string =>
        text.replaceAll(/"request_id":"[^"]*"/g, '').replaceAll(/[0-9a-f-]{36}/g, '…')
      expect(comparable(foreign.text)).toBe(comparable(missing.text))
    }
  )
})

describe('switching organizations', () => {
  test('continues the session in another organization of the user', async () => {
    const [first, second] = [await createOrganization(scene), await createOrganization(scene, 'B')]
    const user = await createMember(scene, first, 'owner')
    await scene.database.query(
      `insert into memberships (organization_id, user_id, role) values ($1, $2, 'viewer')`,
      [second, user.user_id]
    )
    const switched = await user.send('POST', `${root}/switch`, {
      organization_id: second.toUpperCase()
    })
    expect([switched.status, switched.body]).toEqual([
      200,
      {
        ...{ access_token: expect.any(String), token_type: 'Bearer', expires_in: 900 },
        ...{ organization_id: second, role: 'viewer' }
      }
    ])
    const there = withToken(scene, user, String(switched.body['access_token']))
    expect((await there.send('GET', root)).body['name']).toBe('B')
    expect((await there.send('PATCH', root, { name: 'C' })).status).toBe(403)
    const rows = await scene.database.query(
      `select s.organization_id as session, u.last_organization_id as next
         from sessions s join users u using (user_id) where user_id = $1`,
      [user.user_id]
    )
    expect(rows).toEqual([{ session: second, next: second }])
  })

  test('treats an organization of others like one that does not exist', async () => {
    const user = await createMember(scene, await createOrganization(scene), 'owner')
    for (const organization_id of [await createOrganization(scene), randomUUID()]) {
      const { status, body } = await user.send('POST', `${root}/switch`, { organization_id })
      expect([status, body['code']]).toEqual([404, 'organization_not_found'])
    }
  })
})
