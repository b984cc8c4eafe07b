/** What a caller needs to know of `GET /v1/evaluation/runs/{run_id}`. */
import type { Operation } from '../../../http/route.ts'
import { principalProblems } from '../principal-problems.ts'
import { runDetail, runExample, runIdParams } from './run-schema.ts'

export const readRunOperation: Operation = {
  operation_id: 'readRun',
  tag: 'evaluation',
  summary: 'Read one run',
  description:
    'What became of a run, with every call that it made, what each cost and why it failed. ' +
    'Replies and prompts hold what agents were given and answered: only sessions of admins and ' +
    'owners are told them.',
  params: runIdParams,
  response: {
    200: {
      description: 'The run.',
      schema: runDetail,
      example: {
        ...runExample,
        attempts_made: 1,
        attempts: [
          {
            attempt: 1,
            counted: true,
            started_at: '2026-01-31T12:00:00.300Z',
            finished_at: '2026-01-31T12:00:01.300Z',
            outcome: 'failed',
            status_reason: 'invalid_result',
            http_status: 200,
            error: 'the reply is not JSON',
            model: 'small-1',
            model_reported: 'small-1-2026-01',
            input_tokens: 812,
            output_tokens: 61,
            latency_ms: 640,
            usd: 0.00031,
            reply: null
          }
        ],
        prompt: null
      }
    }
  },
  problems: [...principalProblems, 'run_not_found']
}
