/** What a caller needs to know of `POST /v1/evaluation/runs/{run_id}/cancel`. */
import type { Operation } from '../../../http/route.ts'
import { runExample, runIdParams, runSchema } from './run-schema.ts'

export const cancelRunOperation: Operation = {
  operation_id: 'cancelRun',
  tag: 'evaluation',
  summary: 'Cancel an open run',
  description:
    'Asks that a run which waits or is at work end as `canceled`. That takes a moment; of a call ' +
    'that is under way the result is thrown away. Asked again it changes nothing. Takes the role ' +
    'member, or one that may do more.',
  params: runIdParams,
  response: {
    200: {
      description: 'The run, as it is until then.',
      schema: runSchema,
      example: {
        ...runExample,
        ...{ status: 'retrying', status_reason: 'provider_error', evaluated_at: null, usd: null },
        cancel_requested_at: '2026-01-31T12:00:02.000Z'
      }
    }
  },
  problems: [
    'session_required',
    'session_invalid',
    'role_missing',
    'run_not_found',
    'run_ended',
    'store_unavailable'
  ]
}
