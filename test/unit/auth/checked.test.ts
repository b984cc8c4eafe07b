/** Tests the checks before a handler: what the handler receives, and which calls never reach it. */
import { expect, test } from '@jest/globals'
import { Problem } from '../../../core/problem.ts'
import { createAuthenticateSession } from '../../../auth/authenticate-session.ts'
import { createChecked } from '../../../auth/checked.ts'
import type { FairShare } from '../../../http/admission/fair-share.ts'
import { jsonReply } from '../../../http/call.ts'
import type { Call } from '../../../http/call.ts'
import type { KeyPrincipal } from '../../../core/principal.ts'
import type { CheckedCall, Credential, Operation } from '../../../http/route.ts'
import { callOf, claims, decisionId, organizationId, person, problemOf } from '../api/fakes.ts'

const key: KeyPrincipal = {
  kind: 'api_key',
  organization_id: organizationId,
  key_id: 'abcdefghijkl',
  scopes: ['evaluation:read'],
  rate_limit_points: null,
  key_rate_limit_points: null
}

const atOnce: FairShare = (_key, work) => work()
const shares = { shareLong: atOnce, shareOpen: atOnce, refuseSpent: () => undefined }

function bodyOf(text: string): Call['useBody'] {
  return (_limits, use) => use(Buffer.from(text))
}

const checked = createChecked({
  authenticateKey: async (authorization, scope) => {
    if (authorization !== 'Bearer slk_good') {
      throw new Problem('api_key_invalid', { detail: 'No such API key exists.' })
    }
    const needed = [scope ?? []].flat()
    if (scope === null || needed.some((each) => key.scopes.includes(each))) return key
    throw new Problem('scope_missing', { detail: needed.join() })
  },
  authenticateSession: createAuthenticateSession({
    sessionTokens: { verify: (token) => (token === 'good' ? claims : null) },
    liveSessions: { roleOf: async () => claims.role }
  }),
  ...shares
})

const operation: Operation = {
  operation_id: 'test',
  tag: 'test',
  summary: '',
  description: '',
  params: {
    type: 'object',
    properties: { decision_id: { type: 'string', pattern: '^[0-9a-f-]{36}$' } }
  },
  query: {
    type: 'object',
    properties: {
      wait: { type: 'integer', minimum: 0, maximum: 30, default: 0 },
      name: { type: 'string' }
    },
    additionalProperties: false
  },
  response: {},
  problems: ['invalid_query', 'decision_not_found']
}
const operationWithBody: Operation = {
  ...operation,
  body: {
    schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
  }
}

/** Creates a checked handler that records its calls. */
function watched(credential: Credential, of = operation) {
  const seen: CheckedCall<never>[] = []
  const handle = checked({ credential, operation: of }, async (call) => {
    seen.push(call as CheckedCall<never>)
    return jsonReply(200, '{}')
  })
  return { seen, handle }
}

const session = { authorization: 'Bearer good' }
const scope = 'evaluation:read'

test.each<[Credential, string | undefined, unknown]>([
  [{ kind: 'none' }, undefined, null],
  [{ kind: 'none' }, 'Bearer good', null],
  [{ kind: 'session' }, 'Bearer good', person],
  [{ kind: 'session', role: 'admin' }, 'Bearer good', person],
  [{ kind: 'api_key', scope }, 'Bearer slk_good', key],
  [{ kind: 'session_or_api_key', scope }, 'Bearer good', person],
  [{ kind: 'session_or_api_key', scope: null }, 'Bearer slk_good', key],
  [{ kind: 'session_or_api_key', scope }, 'Bearer slk_good', key]
])('%j takes %j', async (credential, authorization, principal) => {
  const { seen, handle } = watched(credential)
  await handle(callOf({ headers: authorization === undefined ? {} : { authorization } }))
  expect(seen[0]?.principal).toEqual(principal)
})

test.each<[Credential, string | undefined, string]>([
  [{ kind: 'session' }, undefined, 'session_required'],
  [{ kind: 'session' }, 'Bearer slk_good', 'session_required'],
  [{ kind: 'session' }, 'Bearer bad', 'session_invalid'],
  [{ kind: 'session_or_api_key', scope }, undefined, 'session_required'],
  [{ kind: 'session_or_api_key', scope }, 'Bearer bad', 'session_invalid'],
  [{ kind: 'session_or_api_key', scope }, 'Bearer slk_bad', 'api_key_invalid'],
  [{ kind: 'session_or_api_key', scope: 'ingest' }, 'Bearer slk_good', 'scope_missing']
])('%j refuses %j with %s', async (credential, authorization, code) => {
  const { seen, handle } = watched(credential)
  const headers = authorization === undefined ? {} : { authorization }
  expect((await problemOf(handle(callOf({ headers })))).code).toBe(code)
  expect(seen).toEqual([])
})

test.each(['viewer', 'member', 'stranger'])(
  '%s may not call a route that requires an admin',
  async (role) => {
    const authenticateSession = async () => ({ ...person, role })
    const authenticateKey = () => key
    const guard = { credential: { kind: 'session', role: 'admin' } as const, operation }
    const dependencies = { authenticateKey, authenticateSession, ...shares }
    const handle = createChecked(dependencies)(guard, async () => {
      throw new Error('never called')
    })
    const problem = await problemOf(handle(callOf({ headers: session })))
    expect([problem.code, problem.options.members]).toEqual(['role_missing', { role: 'admin' }])
  }
)

test('an unauthenticated caller learns nothing about paths, queries and bodies', async () => {
  const { handle } = watched({ kind: 'session' }, operationWithBody)
  const call = callOf({ params: { decision_id: 'x' }, query: { wait: 'x' } })
  expect((await problemOf(handle(call))).code).toBe('session_required')
})

test('a path that does not match the schema gets the 404 of its route', async () => {
  const { handle } = watched({ kind: 'session' })
  const call = callOf({ headers: session, params: { decision_id: 'no-uuid' } })
  expect((await problemOf(handle(call))).code).toBe('decision_not_found')
})

test('coerces query numbers, adds defaults, and does not modify the call', async () => {
  const { seen, handle } = watched({ kind: 'session' })
  const query = Object.freeze({ wait: '5', name: '7' })
  await handle(callOf({ headers: session, params: { decision_id: decisionId }, query }))
  await handle(callOf({ headers: session }))
  expect(seen.map((call) => call.query)).toEqual([{ wait: 5, name: '7' }, { wait: 0 }])
})

test.each([
  ['/wait', { wait: '31' }],
  ['/wait', { wait: '-1' }],
  ['/wait', { wait: '1.5' }],
  ['/wait', { wait: '10s' }],
  ['/wait', { wait: '' }],
  ['/wait', { wait: '1e1' }],
  ['/wait', { wait: '0x5' }],
  ['/wait', { wait: '+5' }],
  ['/wait', { wait: ' 5' }],
  ['/wait', { wait: '5.0' }],
  ['/wait', { wait: 'Infinity' }],
  ['/wait', { wait: ['5', '6'] }],
  ['/name', { name: ['a', 'b'] }],
  ['/unknown', { unknown: 'x' }],
  ['/__proto__', JSON.parse('{"__proto__":"x"}') as Record<string, unknown>]
])('names %s when the query is %j', async (pointer, query) => {
  const { seen, handle } = watched({ kind: 'session' })
  const problem = await problemOf(handle(callOf({ headers: session, query })))
  expect(problem.code).toBe('invalid_query')
  expect(problem.options.errors).toEqual([{ pointer, detail: expect.any(String) }])
  expect(seen).toEqual([])
})

test('reads the body only after authentication', async () => {
  const { seen, handle } = watched({ kind: 'session' }, operationWithBody)
  const headers = { ...session, 'content-type': 'application/json' }
  await handle(callOf({ headers, useBody: bodyOf('{"n":1}') }))
  expect(seen[0]?.body).toEqual({ n: 1 })

  const problem = await problemOf(handle(callOf({ headers, useBody: bodyOf('{"n":"1"}') })))
  expect(problem.code).toBe('invalid_body')
  expect(problem.options.errors).toEqual([{ pointer: '/n', detail: 'must be a whole number' }])

  const { options } = await problemOf(handle(callOf({ headers, useBody: bodyOf('[]') })))
  expect(options.detail).toBe('The body is not valid: it must be an object.')
})

test('creates the signal only when the handler uses it', async () => {
  const { seen, handle } = watched({ kind: 'session' })
  let queried = 0
  const call = callOf({ headers: session })
  Object.defineProperty(call, 'signal', {
    get: () => {
      queried += 1
      return new AbortController().signal
    }
  })
  await handle(call)
  expect(queried).toBe(0)
  expect(seen[0]?.signal.aborted).toBe(false)
  expect(queried).toBe(1)
})

test('limits calls without a credential per network, and no others', async () => {
  const shared: string[] = []
  const shareOpen: FairShare = (key, work) => {
    shared.push(key)
    return work()
  }
  const authenticateSession = async () => person
  const guarded = createChecked({
    ...{ authenticateKey: () => key, authenticateSession, ...shares, shareOpen }
  })
  const handle = async () => jsonReply(200, '{}')
  await guarded(
    { credential: { kind: 'none' }, operation },
    handle
  )(callOf({ params: { decision_id: decisionId } }))
  await guarded(
    { credential: { kind: 'session' }, operation },
    handle
  )(callOf({ params: { decision_id: decisionId } }))
  expect(shared).toEqual(['192.0.2.1'])
})

test('rejects an organization without compute time before reading the body', async () => {
  const spent: string[] = []
  const guarded = createChecked({
    ...{ authenticateKey: () => key, authenticateSession: async () => person, ...shares },
    refuseSpent(id) {
      spent.push(id)
      throw new Problem('compute_limited', { detail: 'Retry in 60 s.' })
    }
  })
  const never = async () => {
    throw new Error('never called')
  }
  const problems = [...operationWithBody.problems, 'compute_limited'] as const
  const guard = { credential: { kind: 'session' } as const, operation: operationWithBody }
  const computing = { ...guard, operation: { ...operationWithBody, problems } }
  const call = callOf({ headers: session, useBody: never })
  expect((await problemOf(guarded(computing, never)(call))).code).toBe('compute_limited')
  expect(spent).toEqual([person.organization_id])
  await expect(guarded(guard, never)(call)).rejects.toThrow('never called')
})
