/** Defines routes whose calls and responses have the types of their schemas. */
import type { ApiKeyScope, RequiredScope } from '../core/ids/api-key.ts'
import type { ProblemCode } from '../core/problem.ts'
import type { Check } from '../platform/validation/json-schema.ts'
import type { Reply } from './call.ts'
import type { CheckedCall, Credential, Operation } from './route.ts'
import type { PrincipalOf, ResponseDefinition, Route } from './route.ts'
import { closed, objectOf } from './schema.ts'
import type { Static, TObject, TProperties, TSchema } from './schema.ts'

/** Accepts calls without a credential. */
export const anyone = { kind: 'none' } as const
export const session = { kind: 'session' } as const
export const member = { kind: 'session', role: 'member' } as const
export const admin = { kind: 'session', role: 'admin' } as const

export function key<S extends ApiKeyScope>(scope: S) {
  return { kind: 'api_key', scope } as const
}

/**
 * Requires a session, or an API key with any of the given scopes. A null scope accepts any API key.
 */
export function sessionOrKey<S extends RequiredScope>(scope: S) {
  return { kind: 'session_or_api_key', scope } as const
}

type NoProperties = Readonly<Record<never, never>>
type Answers = Readonly<Record<number, ResponseDefinition>>

/** A call whose path, query and body have the types of their schemas. */
interface TypedCall<
  C extends Credential,
  P extends TProperties,
  Q extends TProperties,
  B extends TSchema,
  A extends Answers
> extends Omit<CheckedCall<PrincipalOf<C>>, 'params' | 'query' | 'body'> {
  readonly params: Static<TObject<P>>
  readonly query: Static<TObject<Q>>
  readonly body: Static<B>
  /** Creates a JSON response from a value that matches the schema of the status. */
  reply<S extends keyof A & number>(status: S, value: Static<A[S]['schema']>): Reply
}

/** A route with its schemas and its handler, which uses services of type `S`. */
interface RouteDefinition<
  S,
  C extends Credential,
  P extends TProperties,
  Q extends TProperties,
  B extends TSchema,
  A extends Answers
>
  extends Pick<Route, 'method' | 'path'>, Pick<Operation, 'summary' | 'description' | 'headers'> {
  readonly who: C
  /** The operationId in the OpenAPI document. */
  readonly id: string
  readonly params?: P
  readonly query?: Q
  /** Further query parameters, by name pattern. They are not part of the type of `query`. */
  readonly queryPatterns?: Readonly<Record<string, TSchema>>
  readonly body?: B
  /** Maximum size in bytes of the decompressed body. Default: 64 KiB. */
  readonly bytesMax?: number
  /** Replaces schema validation of the body if the schema cannot express all rules. */
  readonly checkBody?: Check
  /** Response definitions by status. */
  readonly answers: A
  /** The problems in addition to those that the credential and the body imply. */
  readonly problems?: readonly ProblemCode[]
  readonly share?: ShareKind
  readonly instead?: Alternative<S>
  handle(call: TypedCall<C, P, Q, B, A>, services: S): Promise<Reply>
}

/** Kinds of calls that run in a fair share. Each organization has a separate share of each kind. */
export type ShareKind = 'expensive reads' | 'account calls'

/**
 * Route that serves the calls with a given query parameter, for example those with a ticket instead
 * of a session.
 */
interface Alternative<S> {
  readonly parameter: string
  readonly route: ResourceRoute<S>
}

/** A route of a resource. The services are passed to its handler with each call. */
export interface ResourceRoute<S> extends Omit<Route, 'surface' | 'handle'> {
  readonly share: ShareKind | undefined
  readonly instead: Alternative<S> | undefined
  handle(call: CheckedCall<never>, services: S): Promise<Reply>
}

/**
 * Returns a function that creates the routes of a resource from their definitions.
 * @param tag the tag of the operations in the OpenAPI document
 */
export function createRoutesOf<S>() {
  return (tag: string) =>
    function route<
      const C extends Credential,
      P extends TProperties = NoProperties,
      Q extends TProperties = NoProperties,
      B extends TSchema = TSchema,
      A extends Answers = Answers
    >(definition: RouteDefinition<S, C, P, Q, B, A>): ResourceRoute<S> {
      const { method, path, who, share, answers, params, query, handle, ...described } = definition
      const { id: operation_id, problems = [], summary, description, headers, body } = described
      const { queryPatterns: patternProperties, instead, bytesMax, checkBody: check } = described
      return {
        method,
        path,
        credential: who,
        share,
        instead,
        operation: {
          operation_id,
          tag,
          summary,
          description,
          ...(params && { params: objectOf(params) }),
          ...(query && { query: closed(query, patternProperties && { patternProperties }) }),
          ...(headers && { headers }),
          ...(body && {
            body: { schema: body, ...(bytesMax && { bytesMax }), ...(check && { check }) }
          }),
          response: answers,
          problems: [
            ...problemsOfCredential(who),
            ...(body === undefined ? [] : bodyProblems),
            ...problems
          ]
        },
        // The checks have established the types, so the call is passed on unchanged.
        handle: (call, services) => handle(call as never, services)
      }
    }
}

const keyProblems = ['api_key_malformed', 'api_key_invalid', 'authentication_unavailable'] as const
const sessionProblems = ['session_required', 'session_invalid', 'store_unavailable'] as const

function problemsOfCredential(credential: Credential): readonly ProblemCode[] {
  switch (credential.kind) {
    case 'none':
      return []
    case 'session':
      return [
        ...sessionProblems,
        ...(credential.role === undefined ? [] : ['role_missing' as const])
      ]
    case 'api_key':
      return ['api_key_required', ...keyProblems, 'scope_missing']
    case 'session_or_api_key':
      return [
        ...sessionProblems,
        ...keyProblems,
        ...(credential.scope === null ? [] : ['scope_missing' as const])
      ]
  }
}

const bodyProblems = [
  'malformed_json',
  'malformed_encoding',
  'body_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_body'
] as const
