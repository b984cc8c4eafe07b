/** Refusals that several operations share. */
import type { ProblemCode } from '../../core/problem.ts'

/** Of a route that takes a session or an API key, and asks the store. */
export const principalProblems = [
  'session_required',
  'session_invalid',
  'api_key_malformed',
  'api_key_invalid',
  'scope_missing',
  'authentication_unavailable',
  'store_unavailable'
] as const satisfies readonly ProblemCode[]

/** Of a route with a JSON body. */
export const bodyProblems = [
  'malformed_json',
  'malformed_encoding',
  'body_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_body'
] as const satisfies readonly ProblemCode[]
