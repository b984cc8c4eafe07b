/** Tests every route with every credential, and with the IDs of another tenant. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { mayActAs, userRoles } from '../../../core/user-role.ts'
import type { Route } from '../../../http/route.ts'
import { describeRoutes } from '../../../gateway/routes.ts'
import { createScene } from '../api/scene.ts'
import type { Scene } from '../api/scene.ts'
import { createForeignTenant, marker } from './foreign-tenant.ts'
import type { ForeignTenant } from './foreign-tenant.ts'
import { exampleOf } from '../../../http/schema.ts'

const routes = describeRoutes().filter(({ surface }) => surface === 'api')
const sessionRoutes = routes.filter(({ credential }) => credential.kind === 'session')
const named = (list: readonly Route[]) =>
  list.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const)
/** Operations that keep the connection open. */
const streams = ['tailDecisions']
/** Checks whether a route ends the caller's session. These routes are tested last. */
const isEnding = ({ operation }: Route): boolean => operation.operation_id === 'logout'

let scene: Scene
let foreign: ForeignTenant

beforeAll(async () => {
  scene = await createScene()
  foreign = await createForeignTenant(scene)
}, 60_000)

interface Answered {
  readonly status: number
  readonly text: string
  readonly code: string | null
}

async function ask(route: Route, path: string, credential: string | null): Promise<Answered> {
  const { body } = route.operation
  const controller = new AbortController()
  const response = await fetch(`${scene.url}${path}`, {
    method: route.method.toUpperCase(),
    headers: {
      ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(exampleOf(body.schema)) }),
    signal: controller.signal
  })
  const { status } = response
  const isStream = status === 200 && streams.includes(route.operation.operation_id)
  const text = isStream ? '' : await response.text()
  controller.abort()
  const isProblem = response.headers.get('content-type')?.includes('problem+json') === true
  const code = isProblem ? (JSON.parse(text) as { code: string }).code : null
  return { status, text, code }
}

/** Returns a valid ID that does not exist, with the prefix of the other organization's ID. */
function nobodys(name: string): string {
  const hex = randomUUID().replaceAll('-', '')
  if (name === 'version') return '1'
  if (name === 'key_id') return hex.slice(0, 12)
  const [prefix] = /^[a-z]+_(?=[0-9a-f]{32}$)/.exec(foreignId(name)) ?? []
  return prefix === undefined ? randomUUID() : prefix + hex
}

function pathOf(route: Route, idOf: (name: string) => string): string {
  return route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(idOf(name)))
}

/** Returns the ID of the other organization's object. */
function foreignId(name: string): string {
  const id = foreign.ids[name]
  if (id === undefined) throw new Error(`the other organization has no ${name}`)
  return id
}

function mentionsIn(text = ''): number {
  return text.split(marker).length - 1
}

const asking = routes.filter(({ credential }) => credential.kind !== 'none')

describe.each(named(asking.filter((route) => !isEnding(route))))('%s', (_, route) => {
  test('returns the same response for foreign ids as for unknown ids', async () => {
    const answers = []
    for (const idOf of [foreignId, nobodys]) {
      answers.push(await ask(route, pathOf(route, idOf), scene.tokenAs('owner')))
    }
    const [theirs, none] = answers
    // Routes without ids are excluded, because a second request to create the same name fails.
    if (route.path.includes(':')) {
      expect([theirs?.status, theirs?.code]).toEqual([none?.status, none?.code])
    }
    // An error may repeat the path, but must contain no further text of the other organization.
    expect(mentionsIn(theirs?.text)).toBeLessThanOrEqual(2 * mentionsIn(pathOf(route, foreignId)))
  })
})

function holdToItsRole(route: Route): void {
  const { role = 'viewer' } = route.credential as { readonly role?: string }

  test('requires a session, and rejects API keys', async () => {
    const path = pathOf(route, nobodys)
    expect(await ask(route, path, null)).toMatchObject({ status: 401, code: 'session_required' })
    const key = scene.keyWith('admin', 'ingest', 'evaluation:write')
    expect(await ask(route, path, key)).toMatchObject({ status: 401, code: 'session_required' })
  })

  test.each(userRoles)('requires its role or a higher one: %s', async (given) => {
    const path = pathOf(route, nobodys)
    const answer = await ask(route, path, scene.tokenAs(given))
    const isRefused = answer.status === 403 && answer.code === 'role_missing'
    expect([given, isRefused]).toEqual([given, !mayActAs(given, role as 'viewer')])
    expect(answer.status).toBeLessThan(500)
    expect(answer.status).not.toBe(401)
  })
}

describe.each(named(sessionRoutes.toSorted((left, right) => +isEnding(left) - +isEnding(right))))(
  '%s',
  (_, route) => holdToItsRole(route)
)

test('leaves the other organization unchanged after all requests', async () => {
  const kept = await scene.database.query<{ name: string }>(
    `select name from evaluators where organization_id = $1 and deleted_at is null
     union all select name from evaluation_rules where organization_id = $1 and deleted_at is null
     union all select name from evaluation_connections
                where organization_id = $1 and deleted_at is null
     union all select name from webhooks where organization_id = $1 and deleted_at is null
     union all select name from agent_profiles where organization_id = $1
     union all select output from decisions where organization_id = $1
     union all select name from api_keys where organization_id = $1 and revoked_at is null
     union all select name from users join memberships using (user_id)
                where organization_id = $1 and role = 'owner' and name = $2
     union all select users.name from sessions join users using (user_id)
                where session_id = $3 and revoked_at is null
     union all select reason from erasures where organization_id = $1
     union all select reason from dead_letters
                where organization_id = $1 and state = 'open' and requested_action is null
     union all select invited.name from invites join users invited on user_id = invited_by
                where organization_id = $1 and revoked_at is null`,
    [foreign.organizationId, marker, foreign.ids['session_id']]
  )
  expect(kept).toEqual(Array.from({ length: 12 }, () => ({ name: marker })))
})
