/** Lists errors that many routes return, so that docs/reference/api.md shows them only once. */
import type { ProblemCode } from '../../core/problem.ts'

export const sharedErrors: Readonly<Record<string, readonly ProblemCode[]>> = {
  'that require a credential': [
    'api_key_required',
    'api_key_malformed',
    'api_key_invalid',
    'session_required',
    'session_invalid',
    'authentication_unavailable'
  ],
  'that require a scope or a role': ['scope_missing', 'role_missing'],
  'that have a request body': [
    'malformed_json',
    'malformed_encoding',
    'body_timeout',
    'payload_too_large',
    'unsupported_media_type',
    'invalid_body'
  ],
  'that have query parameters': ['invalid_query'],
  'that read or change the database': ['store_unavailable']
}
