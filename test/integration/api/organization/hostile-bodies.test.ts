/** Tests that no body, path or query of the organization routes causes a 500. */
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { apiKeyScopes } from '../../../../core/ids/api-key.ts'
import { userRoles } from '../../../../core/user-role.ts'
import { createScene } from '../scene.ts'
import type { Scene, Sending } from '../scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await createScene()
})

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('\u0000', '\ud800', '__proto__', '', 'Ada@Example.com', '9999-12-31T23:59:59Z')
)
const odd = fc.oneof(
  oddText,
  fc.constantFrom(null, true, 0, -1, 1.5, 1e308, 2 ** 53, [], {}),
  fc.jsonValue({ maxDepth: 3 })
)

/** Usually generates a value of `arbitrary`, which is valid; sometimes a value of `odd`. */
function mostly<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 6, arbitrary }, { weight: 1, arbitrary: odd })
}

function bodies(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const record = fc.record(members, { requiredKeys: [] })
  return fc.oneof({ weight: 8, arbitrary: record }, { weight: 1, arbitrary: odd })
}

const name = mostly(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }))
const role = mostly(fc.constantFrom(...userRoles))
const time = mostly(
  fc
    .date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString())
)
const key = {
  ...{ name, expires_at: time, environment: mostly(fc.constantFrom('live', 'eu1')) },
  scopes: mostly(fc.array(mostly(fc.constantFrom(...apiKeyScopes)), { maxLength: 3 })),
  rate_limit_points: mostly(fc.integer({ min: 1, max: 1e9 }))
}

interface Hostile {
  readonly method: Sending['method']
  readonly path: (id: string) => string
  readonly body: fc.Arbitrary<unknown>
}

const auth = '/v1/auth'
const routes: readonly Hostile[] = [
  { method: 'PATCH', path: () => `${auth}/organization`, body: bodies({ name }) },
  {
    method: 'POST',
    path: () => `${auth}/organization/switch`,
    body: bodies({ organization_id: mostly(fc.uuid()) })
  },
  { method: 'PATCH', path: (id) => `${auth}/organization/members/${id}`, body: bodies({ role }) },
  {
    method: 'POST',
    path: () => `${auth}/organization/invites`,
    body: bodies({ email: mostly(fc.emailAddress()), role })
  },
  { method: 'POST', path: () => `${auth}/invites/accept`, body: bodies({ token: name }) },
  { method: 'POST', path: () => `${auth}/api-keys`, body: bodies(key) },
  { method: 'PATCH', path: (id) => `${auth}/api-keys/${id}`, body: bodies(key) },
  {
    method: 'POST',
    path: (id) => `${auth}/api-keys/${id}/rotate`,
    body: bodies({ grace_seconds: mostly(fc.nat(2_592_000)), expires_at: time })
  }
]

interface Made {
  readonly key_id: string
}

/** Returns an id for the path. Creates a new API key each time, because some requests revoke it. */
async function anId(path: string): Promise<string> {
  if (!path.includes('/api-keys/')) return '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
  const body = { name: 'agents' }
  const { body: made } = await scene.send<Made>({ method: 'POST', path: `${auth}/api-keys`, body })
  return made.key_id
}

test.each(routes)('accepts any body of $method, or rejects it with a code', async (route) => {
  await fc.assert(
    fc.asyncProperty(route.body, async (body) => {
      const path = route.path(await anId(route.path('')))
      const { status, text } = await scene.send({ method: route.method, path, body })
      if (status < 300) return
      expect([400, 403, 404, 409, 422, 429]).toContain(status)
      expect(text).toMatch(/"code":"[a-z_]+"/)
    }),
    { numRuns: 60 }
  )
})

const lists = ['organization/members', 'organization/invites', 'api-keys', 'audit'] as const

/** Formats a value for a query. Objects become JSON, because they may have their own `toString`. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

test.each(lists)('accepts any query of %s, or rejects it with a code', async (list) => {
  const query = fc.record(
    {
      ...{ cursor: oddText, limit: mostly(fc.integer()), action: oddText, actor: oddText },
      ...{ from: time, to: time, state: mostly(fc.constantFrom('active', 'revoked')) }
    },
    { requiredKeys: [] }
  )
  await fc.assert(
    fc.asyncProperty(query, async (members) => {
      const search = new URLSearchParams(
        Object.entries(members).map(([each, value]): [string, string] => [each, textOf(value)])
      ).toString()
      const { status } = await scene.get(`${auth}/${list}?${search}`)
      expect([200, 422]).toContain(status)
    }),
    { numRuns: 60 }
  )
})
