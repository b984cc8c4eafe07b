/** Routes for scores: list, send and summarize. */
import { Problem, problemBody } from '../../../core/problem.ts'
import { mayActAs } from '../../../core/user-role.ts'
import { session, sessionOrKey } from '../../../http/typed-route.ts'
import { selectStoredAt } from '../../decisions/queries.ts'
import { newestFirst } from '../../evaluation-run.ts'
import type { EvaluationRun } from '../../evaluation-run.ts'
import { evidenceOf, scoreViewOf } from '../../evaluation-view.ts'
import { isEvaluated } from '../../read-evaluations.ts'
import { decisionIdParameter } from '../../response-schemas.ts'
import { routesOf } from '../../services.ts'
import { lagOf, notStored, readWatermark } from '../../watermark.ts'
import { resultPageOf } from '../bounded-page.ts'
import { pushScores } from './push-scores.ts'
import type { PushResult } from './push-scores.ts'
import { readScorePage } from './queries.ts'
import * as schemas from './schemas.ts'
import { summarizeScores } from './summarize-scores.ts'

const { pushesMax, summaryLimits } = schemas
const path = '/v1/evaluation/scores'
const route = routesOf('evaluation')
const reader = sessionOrKey('evaluation:read')

export const scoreRoutes = [
  route({
    method: 'get',
    path,
    who: reader,
    id: 'listScores',
    summary: 'List scores',
    description:
      'Returns the stored scores of your organization, newest first. A page may have fewer ' +
      'scores than `limit`, or none, and still have a next page; continue until ' +
      '`meta.next_cursor` is null.',
    query: schemas.scoreListQuery,
    answers: { 200: { description: 'A page of scores.', schema: schemas.scorePage } },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query, reply }, { store, evaluationsTopic, clock }) => {
      const page = resultPageOf(query, clock.now())
      const db = store.of(principal.organization_id)
      const watermark = await readWatermark(db, evaluationsTopic)
      const { data, meta } = await readScorePage(db, page)
      return reply(200, {
        data: data.map((row) => ({ ...row, evidence: evidenceOf(row.evidence) })),
        meta: { ...meta, ...lagOf(watermark, clock) }
      })
    }
  }),
  route({
    method: 'post',
    path,
    who: sessionOrKey(['evaluation:write', 'feedback:write']),
    id: 'pushScores',
    summary: 'Send scores',
    description:
      `Stores up to ${pushesMax} scores; each is accepted or rejected independently. The ` +
      'source of a score is `human` for a session and `api` for a key with the scope ' +
      '`evaluation:write`; send `source` for the score of an end user. A key with only the ' +
      'scope `feedback:write` sends scores of end users, without `evaluator_id`. With ' +
      '`evaluator_id` the score must match the definition of that evaluator, and completes ' +
      'the run that waits for it, if there is one. An `id` makes retries safe. Scores are ' +
      'visible on the decision immediately, and in lists once they are stored.',
    body: schemas.pushRequest,
    bytesMax: 4 * 1024 * 1024,
    answers: {
      200: {
        description: 'One result for each score, in the same order.',
        schema: schemas.pushResults
      }
    },
    problems: ['role_missing'],
    handle: async ({ principal, body, request_id, reply }, services) => {
      if (principal.kind === 'session' && !mayActAs(principal.role, 'member')) {
        const { role } = principal
        const detail = `This action requires the role member or higher; your role is ${role}.`
        throw new Problem('role_missing', { detail, members: { role: 'member' } })
      }
      const pushed = await pushScores(principal, body.scores, services)
      return reply(200, {
        results: pushed.map(({ id, result }) => resultOf(id, result, request_id))
      })
    }
  }),
  route({
    method: 'get',
    path: `${path}/summary`,
    who: session,
    id: 'summarizeScores',
    summary: 'Get a score summary',
    description:
      'Returns means and pass rates over time: one series for each group, source, evaluator ' +
      'and evaluator version. Versions may measure different things, so `breaks` lists when ' +
      'they change. Every rate comes with its count and its confidence interval; ' +
      '`denominators` counts the runs of each status. At most the newest ' +
      `${summaryLimits.rowsMax} scores and as many runs of the range are scanned, and at most ` +
      `${summaryLimits.pointsMax} points are returned. \`meta.cut\` reports whether data is ` +
      'missing because of these limits.',
    query: schemas.summaryQuery,
    answers: { 200: { description: 'The summary.', schema: schemas.summary } },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: ({ principal, query }, services) =>
      summarizeScores(services.store.of(principal.organization_id), query, services)
  }),
  route({
    method: 'get',
    path: '/v1/evaluation/:decision_id/scores',
    who: reader,
    id: 'readDecisionScores',
    summary: 'List the scores of a decision',
    description:
      'Returns the newest score of each name and source, or with `history` all scores. A ' +
      'correction replaces the corrected score but does not delete it.',
    params: decisionIdParameter,
    query: schemas.decisionScoresQuery,
    answers: { 200: { description: 'The scores, newest first.', schema: schemas.decisionScores } },
    problems: ['decision_not_found', 'invalid_query'],
    share: 'expensive reads',
    handle: async (call, services) => {
      const { store, readEvaluation, clock } = services
      const requestedAt = clock.now()
      const db = store.of(call.principal.organization_id)
      const decision_id = call.params.decision_id.toLowerCase()
      const { name, source, history } = call.query
      const storedAt = await selectStoredAt(db, decision_id)
      const known = await readEvaluation(db, decision_id)
      if (storedAt === null && !isEvaluated(known)) {
        throw await notStored(services, db, requestedAt)
      }
      const wanted = namedScoresOf(known.runs).filter(
        (score) =>
          (name === undefined || score.name === name) &&
          (source === undefined || score.source_kind === source)
      )
      const shown = history ? wanted : newestOf(wanted)
      return call.reply(200, { data: shown.map((score) => ({ decision_id, ...score })) })
    }
  })
]

function resultOf(id: string, result: PushResult, requestId: string) {
  if (!(result instanceof Problem)) {
    return { id, accepted: true as const, duplicate: result === null }
  }
  const { type, title, status, detail, code, retryable, errors } = problemBody(result, requestId)
  const told = { type, title, status, detail, code, errors }
  return { id, accepted: false as const, retryable: retryable === true, problem: told }
}

function namedScoresOf(runs: readonly EvaluationRun[]) {
  return newestFirst(runs).flatMap((run) =>
    run.scores.map((score) => {
      const { superseded_by } = run
      return { name: score.name, ...scoreViewOf(run, score), superseded_by }
    })
  )
}

/** Returns the newest score for each name and source. Excludes scores of superseded runs. */
function newestOf(scores: ReturnType<typeof namedScoresOf>) {
  const current = scores.filter(({ superseded_by }) => superseded_by === null)
  const groups = Map.groupBy(current, ({ name, source_kind }) => `${source_kind}/${name}`)
  return [...groups.values()].flatMap((group) => group.slice(0, 1))
}
