/** One route, as data: Express, the checks, authentication and OpenAPI all come from it. */
import type { ApiKeyScope, NeededScope } from '../core/ids/api-key.ts'
import type { ProblemCode } from '../core/problem.ts'
import type { UserRole } from '../core/user-role.ts'
import type { Check, JsonSchema } from '../platform/validation/json-schema.ts'
import type { KeyPrincipal, Principal, SessionPrincipal } from '../core/principal.ts'
import type { Call, Reply } from './call.ts'

export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'api_key'; readonly scope: ApiKeyScope }
  /** Without a role any session may; with one, sessions of it and of those above it. */
  | { readonly kind: 'session'; readonly role?: UserRole }
  /** Without a scope any key may. */
  | { readonly kind: 'session_or_api_key'; readonly scope: NeededScope }

export interface ResponseDefinition {
  readonly description: string
  readonly schema: JsonSchema
  readonly example: unknown
  /** JSON where it is not said. */
  readonly content_type?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface HeaderDefinition {
  readonly description: string
  readonly example: string
  /** What a value must match; any is taken where there is none. */
  readonly pattern?: string
}

export interface BodyDefinition {
  readonly schema: JsonSchema
  readonly example: unknown
  /** An example as lines of JSON, where those are taken as well. */
  readonly lines?: string
  /** Of the inflated body; 64 KiB where it is not said. */
  readonly bytesMax?: number
  /** In place of the schema, where that cannot say all that may be wrong. */
  readonly check?: Check
}

/** What a caller needs to know of a route: the OpenAPI document is made of these. */
export interface Operation {
  readonly operation_id: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** An object schema whose properties are the placeholders of the path. */
  readonly params?: JsonSchema
  /** An object schema whose properties are the query parameters; texts are coerced to its types. */
  readonly query?: JsonSchema
  /** Request headers that change what the call does. */
  readonly headers?: Readonly<Record<string, HeaderDefinition>>
  readonly body?: BodyDefinition
  readonly response: Readonly<Record<number, ResponseDefinition>>
  /** Every refusal this route may answer, beside those that any route may. */
  readonly problems: readonly ProblemCode[]
}

/** A call that was authenticated and whose query and body fit their schemas. */
export interface CheckedCall<P extends Principal | null = Principal> extends Call {
  readonly principal: P
  readonly body: unknown
}

export type Handle = (call: Call) => Promise<Reply>
export type PublicHandle = (call: CheckedCall<null>) => Promise<Reply>
export type SessionHandle = (call: CheckedCall<SessionPrincipal>) => Promise<Reply>
export type KeyHandle = (call: CheckedCall<KeyPrincipal>) => Promise<Reply>
export type PrincipalHandle = (call: CheckedCall) => Promise<Reply>

export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** With `:name` for placeholders. */
  readonly path: string
  /** Which part of GATEWAY_ROUTES serves it. */
  readonly surface: 'ingest' | 'api'
  readonly credential: Credential
  readonly operation: Operation
  readonly handle: Handle
}
