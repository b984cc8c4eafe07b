/** Defines a route as data, from which Express routing, validation, authentication and OpenAPI are
 * derived.
 */
import type { ApiKeyScope, RequiredScope } from '../core/ids/api-key.ts'
import type { ProblemCode } from '../core/problem.ts'
import type { UserRole } from '../core/user-role.ts'
import type { Check } from '../platform/validation/json-schema.ts'
import type { KeyPrincipal, Principal, SessionPrincipal } from '../core/principal.ts'
import type { Call, Reply } from './call.ts'

export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'api_key'; readonly scope: ApiKeyScope }
  /**
   * Without a role, any session is accepted. With a role, sessions of that role and of higher roles
   * are accepted.
   */
  | { readonly kind: 'session'; readonly role?: UserRole }
  /** A null scope accepts any key. */
  | { readonly kind: 'session_or_api_key'; readonly scope: RequiredScope }

export interface ResponseDefinition {
  readonly description: string
  /** Its example appears in the OpenAPI document. */
  readonly schema: object
  /** Default: JSON. */
  readonly content_type?: string
  /** Whether callers can also request CSV. */
  readonly csv?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

export interface HeaderDefinition {
  readonly description: string
  readonly example: string
  /** Default: any value is accepted. */
  readonly pattern?: string
}

interface BodyDefinition {
  readonly schema: object
  /** An example as JSON lines, if the route accepts them. */
  readonly lines?: string
  /** Maximum size in bytes of the decompressed body. Default: 64 KiB. */
  readonly bytesMax?: number
  /** Whether the route also accepts the body in protobuf. Default: false. */
  readonly protobuf?: boolean
  /** Replaces schema validation of the body if the schema cannot express all rules. */
  readonly check?: Check
}

/** The OpenAPI description of a route. */
export interface Operation {
  readonly operation_id: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** An object schema whose properties are the path parameters. */
  readonly params?: object
  /**
   * An object schema whose properties are the query parameters. Values are coerced to the types of
   * the schema.
   */
  readonly query?: object
  /** Request headers that change the behavior. */
  readonly headers?: Readonly<Record<string, HeaderDefinition>>
  readonly body?: BodyDefinition
  readonly response: Readonly<Record<number, ResponseDefinition>>
  /** Schema of the errors of the route itself. Default: `application/problem+json`. */
  readonly errorSchema?: object
  /**
   * The problems that this route may return, in addition to the problems that every route may
   * return.
   */
  readonly problems: readonly ProblemCode[]
}

/**
 * A call whose query and body match their schemas, authenticated if the route requires it.
 * `principal` is null on routes without a credential.
 */
export interface CheckedCall<P extends Principal | null = Principal> extends Call {
  readonly principal: P
  readonly body: unknown
  /** Creates a JSON response. */
  reply(status: number, value: unknown): Reply
}

export type Handle = (call: Call) => Promise<Reply>

export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Path with a placeholder `:name` for each path parameter. */
  readonly path: string
  /** The group that the route belongs to. GATEWAY_ROUTES selects which groups are served. */
  readonly surface: 'ingest' | 'api'
  readonly credential: Credential
  readonly operation: Operation
  readonly handle: Handle
}

/** The type of the principal for a kind of credential. */
export type PrincipalOf<C extends Credential> = C extends { kind: 'none' }
  ? null
  : C extends { kind: 'session' }
    ? SessionPrincipal
    : C extends { kind: 'api_key' }
      ? KeyPrincipal
      : Principal
