/** Routes for runs: list, get, replay and cancel. */
import type { Decision } from '../../../core/decision/decision.ts'
import { Problem } from '../../../core/problem.ts'
import { mayActAs } from '../../../core/user-role.ts'
import type { JudgeConfig } from '../../../evaluators/judge/judge-config.ts'
import { createPromptWriter } from '../../../evaluators/judge/prompt.ts'
import { member, sessionOrKey } from '../../../http/typed-route.ts'
import { requireFound } from '../../configuration/problems.ts'
import { selectDecision } from '../../decisions/queries.ts'
import { routesOf } from '../../services.ts'
import type { OrganizationStore } from '../../store.ts'
import { lagOf, readWatermark } from '../../watermark.ts'
import { resultPageOf } from '../bounded-page.ts'
import * as schemas from '../schemas.ts'
import * as queries from './queries.ts'
import type { RunRow } from './queries.ts'
import { replayRuns } from './replays.ts'

const { replaysMax, runParams: params } = schemas
const path = '/v1/evaluation/runs'
const route = routesOf('evaluation')
const reader = sessionOrKey('evaluation:read')

export const runRoutes = [
  route({
    method: 'get',
    path,
    who: reader,
    id: 'listRuns',
    summary: 'List runs',
    description:
      'Returns the runs of your organization, newest first: pending runs by the time they ' +
      'were scheduled, ended runs by the time they ended. A page may have fewer runs than ' +
      '`limit`, or none, and still have a next page; continue until `meta.next_cursor` is ' +
      'null.',
    query: schemas.runListQuery,
    answers: { 200: { description: 'A page of runs.', schema: schemas.runPage } },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query, reply }, { store, evaluationsTopic, clock }) => {
      const page = resultPageOf(query, clock.now())
      const db = store.of(principal.organization_id)
      const watermark = await readWatermark(db, evaluationsTopic)
      const { data, meta } = await queries.readRunPage(db, page)
      return reply(200, {
        data: data.map(queries.runOf),
        meta: { ...meta, ...lagOf(watermark, clock) }
      })
    }
  }),
  route({
    method: 'post',
    path: `${path}/replay`,
    who: member,
    id: 'replayRuns',
    summary: 'Replay runs',
    description:
      `Creates a new run for each of the newest ${replaysMax} matching runs that ended ` +
      'without a score: the same evaluator in the same version, one generation later. The old ' +
      'run keeps its result and names the new run in `superseded_by`. A run is replayed only ' +
      'once; repeat the request to replay the runs in `left`. Requires the role member or ' +
      'higher.',
    body: schemas.replayRequest,
    answers: {
      202: {
        description: 'The runs that are replayed, or would be in a dry run.',
        schema: schemas.replayResult
      }
    },
    share: 'expensive reads',
    handle: async ({ principal, body, reply }, { store, clock }) =>
      reply(202, await replayRuns(store.of(principal.organization_id), body, clock.now()))
  }),
  route({
    method: 'get',
    path: `${path}/:run_id`,
    who: reader,
    id: 'readRun',
    summary: 'Get a run',
    description:
      `Returns a run with its newest ${schemas.attemptsMax} calls: the cost of each, and why it ` +
      'failed. Replies and prompts contain inputs and outputs of agents, so only sessions of ' +
      'admins and owners get them.',
    params,
    answers: { 200: { description: 'The run.', schema: schemas.runWithAttempts } },
    problems: ['run_not_found'],
    handle: async ({ principal, params: { run_id }, reply }, { store }) => {
      const db = store.of(principal.organization_id)
      const row = requireFound('run', await queries.findRun(db, run_id), run_id)
      const mayRead = principal.kind === 'session' && mayActAs(principal.role, 'admin')
      const attempts = await queries.readAttempts(db, row)
      const run = queries.runOf(row)
      return reply(200, {
        ...run,
        attempts_made: run.attempts,
        attempts: attempts.toReversed().map((attempt) => ({
          ...attempt,
          reply: mayRead ? attempt.reply : null
        })),
        prompt: mayRead ? await renderPrompt(db, row) : null
      })
    }
  }),
  route({
    method: 'post',
    path: `${path}/:run_id/cancel`,
    who: member,
    id: 'cancelRun',
    summary: 'Cancel a run',
    description:
      'Requests that a pending run end as `canceled`, which takes a moment. The result of a ' +
      'call in progress is discarded. Repeating the request has no further effect. Requires ' +
      'the role member or higher.',
    params,
    answers: { 200: { description: 'The run, until it ends.', schema: schemas.canceledRun } },
    problems: ['run_not_found', 'run_ended'],
    handle: async ({ principal, params: { run_id }, reply }, { store }) => {
      const db = store.of(principal.organization_id)
      const isPending = await queries.cancelRun(db, run_id)
      const row = requireFound('run', await queries.findRun(db, run_id), run_id)
      const run = queries.runOf(row)
      if (isPending) return reply(200, run)
      const endedAt = new Date(run.evaluated_at ?? 0).toISOString()
      const detail =
        `The run ended as ${run.status} at ${endedAt}. ` + 'Only a pending run can be canceled.'
      throw new Problem('run_ended', { detail, members: { run_status: run.status } })
    }
  })
]

/**
 * Renders the prompt of a run again. Its random delimiters differ from those in the original calls.
 */
async function renderPrompt(store: OrganizationStore, run: RunRow) {
  if (run.evaluator_kind !== 'llm_judge') return null
  const config = await queries.readConfig(store, run)
  const row = await selectDecision(store, run.decision_id)
  if (config === null || row === null) return null
  const decision: Decision = {
    ...row,
    organization_id: store.organizationId,
    received_at: row.received_at.getTime(),
    output: JSON.parse(row.output) as string
  }
  const written = createPromptWriter(JSON.parse(config) as JudgeConfig).write(decision)
  return 'messages' in written ? written.messages : null
}
