/** Wraps a handler: authenticates the caller unless the route is public, then validates the path,
 * query and body.
 */
import type { RequiredScope } from '../core/ids/api-key.ts'
import { pointerTo } from '../core/json/json-pointer.ts'
import { Problem, problems, sentenceOf } from '../core/problem.ts'
import type { ProblemCode, Violation } from '../core/problem.ts'
import { mayActAs } from '../core/user-role.ts'
import type { UserRole } from '../core/user-role.ts'
import { createCheck } from '../platform/validation/json-schema.ts'
import type { Check, JsonSchema } from '../platform/validation/json-schema.ts'
import { bearerTokenOf, isApiKey } from './bearer.ts'
import type { KeyPrincipal, Principal, SessionPrincipal } from '../core/principal.ts'
import type { FairShare } from '../http/admission/fair-share.ts'
import { reply } from '../http/call.ts'
import type { Call, Reply, WorkShare } from '../http/call.ts'
import { siteOf } from '../http/network-of.ts'
import type { CheckedCall, Credential, Handle, Operation, PrincipalOf } from '../http/route.ts'
import type { AuthenticateSession } from './authenticate-session.ts'
import { parseJsonBody, smallBodyBytesMax } from '../http/body/json-body.ts'

type AuthenticateKey = (
  authorization: string | undefined,
  scope: RequiredScope
) => KeyPrincipal | Promise<KeyPrincipal>

interface CheckedDependencies {
  readonly authenticateKey: AuthenticateKey
  readonly authenticateSession: AuthenticateSession
  /** Limits the processing of long bodies, per organization or network. */
  readonly shareLong: FairShare
  /** Limits calls without a credential, per network. */
  readonly shareOpen: FairShare
  /** Throws `compute_limited` if the organization has no compute time left. */
  readonly refuseSpent: (organizationId: string) => void
}

interface Guard<C extends Credential> {
  readonly credential: C
  readonly operation: Operation
}

export type Checked = <C extends Credential>(
  guard: Guard<C>,
  handle: (call: CheckedCall<PrincipalOf<C>>) => Promise<Reply>
) => Handle

export function createChecked(dependencies: CheckedDependencies): Checked {
  return function checked({ credential, operation }, handle) {
    const authenticate = createAuthenticateBy(dependencies, credential)
    const refuseParams = createRefuseParams(operation)
    const readQuery = createReadQuery(operation.query)
    const readBody = createReadBody(operation.body, dependencies.shareLong)
    const { shareOpen, refuseSpent } = dependencies
    const computes = operation.problems.includes('compute_limited')

    return async function handleChecked(call) {
      const principal = await authenticate(call.headers.authorization)
      // Checks the compute allowance before the body is read, so that a rejection is cheap.
      if (computes && principal !== null) refuseSpent(principal.organization_id)
      refuseParams(call.params)
      const query = readQuery(call.query)
      const site = siteOf(call.remote_address)
      const run = async () => {
        const body = await readBody(call, principal?.organization_id ?? site)
        return handle(checkedCallOf(call, { principal: principal as never, query, body }))
      }
      // For an anonymous call, the limit covers reading the body, because the caller can send it
      // slowly, one byte every ten seconds.
      return principal === null ? shareOpen(site, run) : run()
    }
  }
}

/**
 * Keeps `signal` a getter, because creating the signal costs time and most handlers do not use it.
 */
function checkedCallOf<P extends Principal | null>(
  call: Call,
  found: Pick<CheckedCall<P>, 'principal' | 'query' | 'body'>
): CheckedCall<P> {
  return {
    request_id: call.request_id,
    remote_address: call.remote_address,
    headers: call.headers,
    params: call.params,
    ...found,
    reply,
    useBody: (limits, use) => call.useBody(limits, use),
    body_bytes: call.body_bytes,
    get signal() {
      return call.signal
    }
  }
}

type AuthenticateBy = (authorization: string | undefined) => Promise<Principal | null>

function createAuthenticateBy(
  { authenticateKey, authenticateSession }: CheckedDependencies,
  credential: Credential
): AuthenticateBy {
  switch (credential.kind) {
    case 'none':
      return () => Promise.resolve(null)
    case 'api_key':
      return async (authorization) => authenticateKey(authorization, credential.scope)
    case 'session':
      return async (authorization) => {
        const principal = await authenticateSession(authorization)
        if (credential.role !== undefined) refuseRole(principal, credential.role)
        return principal
      }
    case 'session_or_api_key':
      return async (authorization) => {
        const isKey = isApiKey(bearerTokenOf(authorization) ?? '')
        return isKey
          ? authenticateKey(authorization, credential.scope)
          : authenticateSession(authorization)
      }
  }
}

function refuseRole(principal: SessionPrincipal, role: UserRole): void {
  if (mayActAs(principal.role, role)) return
  const detail = `This action requires the role ${role} or higher; your role is ${principal.role}.`
  throw new Problem('role_missing', { detail, members: { role } })
}

/**
 * Rejects path parameters that do not match their schema. Responds with the route's own 404,
 * because no resource can have such an id.
 */
function createRefuseParams({ params, problems: codes }: Operation) {
  const check = params === undefined ? null : createCheck(params)
  const code: ProblemCode =
    codes.find((candidate) => problems[candidate].status === 404) ?? 'route_not_found'

  return function refuseParams(values: Call['params']): void {
    const found = check?.(values) ?? []
    if (found.length > 0) throw new Problem(code, { detail: sentenceOf('The path', found) })
  }
}

/**
 * Creates a function that validates the query. A route without a query schema ignores the query.
 */
function createReadQuery(schema: object | undefined) {
  const check: Check | null = schema === undefined ? null : createCheck(schema, { coerce: true })
  const refuseDigits = createRefuseDigits(schema as JsonSchema | undefined)

  return function readQuery(given: Call['query']): Call['query'] {
    const query = { ...given }
    const wrong = refuseDigits(given)
    const isNew = ({ pointer }: Violation) => !wrong.some((each) => each.pointer === pointer)
    const errors = [...wrong, ...(check?.(query) ?? []).filter(isNew)]
    if (errors.length === 0) return query
    throw new Problem('invalid_query', { detail: sentenceOf('The query', errors), errors })
  }
}

/**
 * Rejects integers that are not plain digits, because coercion would also accept "1e1", "0x5" and
 * "".
 */
function createRefuseDigits(schema: JsonSchema | undefined) {
  const properties = (schema?.['properties'] ?? {}) as Record<string, JsonSchema>
  const names = Object.keys(properties).filter((name) => properties[name]?.['type'] === 'integer')

  return function refuseDigits(given: Call['query']): readonly Violation[] {
    const wrong = names.filter((name) => {
      const value = given[name]
      return typeof value === 'string' && !/^-?\d+$/.test(value)
    })
    return wrong.map((name) => ({ pointer: pointerTo(name), detail: 'must be a whole number' }))
  }
}

function createReadBody(definition: Operation['body'], shareLong: FairShare) {
  const check =
    definition === undefined ? null : (definition.check ?? createCheck(definition.schema))
  const bytesMax = definition?.bytesMax ?? smallBodyBytesMax

  return async function readBody(call: Call, sharedBy: string): Promise<unknown> {
    if (check === null) return undefined
    const inShare: WorkShare = (work) => shareLong(sharedBy, work)
    return call.useBody({ bytesMax, sharedBy, inShare }, async (bytes) => {
      const body = await parseJsonBody(call.headers['content-type'], bytes)
      const errors = check(body)
      if (errors.length === 0) return body
      throw new Problem('invalid_body', { detail: sentenceOf('The body', errors), errors })
    })
  }
}
