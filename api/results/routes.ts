/** Routes for evaluations: their status, scores, runs and health. */
import { jsonReply } from '../../http/call.ts'
import { sessionOrKey } from '../../http/typed-route.ts'
import { selectStoredAt, selectStoredIds } from '../decisions/queries.ts'
import { runViewOf } from '../evaluation-run.ts'
import { evaluationViewOf } from '../evaluation-view.ts'
import { isEvaluated } from '../read-evaluations.ts'
import type { DecisionEvaluation } from '../read-evaluations.ts'
import { decisionIdParameter as params } from '../response-schemas.ts'
import { routesOf } from '../services.ts'
import { isReached, waitParameters } from '../poll.ts'
import { lagOf, notStored, readWatermark } from '../watermark.ts'
import { plansMax, readHealth } from './read-health.ts'
import { runRoutes } from './runs/routes.ts'
import * as schemas from './schemas.ts'
import { scoreRoutes } from './scores/routes.ts'

const route = routesOf('evaluation')
const who = sessionOrKey('evaluation:read')

export const resultRoutes = [
  route({
    method: 'post',
    path: '/v1/evaluation/status',
    who,
    id: 'readStatuses',
    summary: 'List evaluation statuses',
    description:
      'Returns the evaluation status of up to 200 decisions, by lowercase id. An id that does ' +
      'not exist or belongs to another organization is `unknown`; the request still succeeds.',
    body: schemas.decisionIds,
    answers: { 200: { description: 'Statuses by decision id.', schema: schemas.statuses } },
    share: 'expensive reads',
    handle: async ({ principal, body }, { store, readEvaluations, decisionsTopic, clock }) => {
      const requestedAt = clock.now()
      const db = store.of(principal.organization_id)
      const ids = [...new Set(body.decision_ids.map((id) => id.toLowerCase()))]
      // Read the watermark before the rows, so that the rows include everything up to it.
      const { as_of } = await readWatermark(db, decisionsTopic)
      const stored = await selectStoredIds(db, ids)
      const retryable = as_of === null || as_of.getTime() < requestedAt
      const members: string[] = []
      for await (const [id, known] of readEvaluations(db, ids)) {
        const isFound = stored.has(id) || isEvaluated(known)
        const status = isFound ? statusOf(known) : { status: 'unknown', retryable }
        members.push(`"${id}":${JSON.stringify(status)}`)
      }
      return jsonReply(200, `{${members.join(',')}}`)
    }
  }),
  ...scoreRoutes,
  ...runRoutes,
  route({
    method: 'get',
    path: '/v1/evaluation/health',
    who,
    id: 'readHealth',
    summary: 'Get evaluation health',
    description:
      "Returns the backlog and its age, the circuit of each provider connection, today's " +
      'spend on judges, and whether every planned run is accounted for. The last part covers ' +
      `the plans of the last day, at most the newest ${plansMax}; \`conservation.from\` is ` +
      'where they begin.',
    answers: { 200: { description: 'The current state.', schema: schemas.health } },
    share: 'expensive reads',
    handle: async ({ principal, reply }, { store, evaluationsTopic, clock }) => {
      const db = store.of(principal.organization_id)
      // Read the watermark before the rows, so that the rows include everything up to it.
      const watermark = await readWatermark(db, evaluationsTopic)
      return reply(200, {
        ...lagOf(watermark, clock),
        ...(await readHealth(db, watermark.as_of, clock.now()))
      })
    }
  }),
  route({
    method: 'get',
    path: '/v1/evaluation/:decision_id',
    who,
    id: 'readEvaluation',
    summary: 'Get the evaluation of a decision',
    description:
      'Returns what each rule planned for the decision, or why it planned nothing, the status ' +
      'of each run, and the scores. Requires a session, or an API key with the scope ' +
      '`evaluation:read`.',
    params,
    query: waitParameters('evaluated'),
    answers: {
      200: { description: 'The current state of the evaluation.', schema: schemas.evaluation }
    },
    problems: ['decision_not_found', 'invalid_query', 'overloaded'],
    handle: async (call, services) => {
      const { store, poll, readEvaluation, clock } = services
      const requestedAt = clock.now()
      const db = store.of(call.principal.organization_id)
      const decision_id = call.params.decision_id.toLowerCase()
      const { wait, until } = call.query
      let storedAt: Date | null = null

      async function read(): Promise<DatedEvaluation> {
        storedAt ??= await selectStoredAt(db, decision_id)
        return { storedAt, ...(await readEvaluation(db, decision_id)) }
      }

      const found = await poll(read, (seen) => isKnown(seen) && isReached(until, seen), {
        organizationId: db.organizationId,
        waitMs: wait * 1000,
        signal: call.signal
      })
      if (!isKnown(found)) throw await notStored(services, db, requestedAt)
      return call.reply(200, {
        decision_id,
        ...evaluationViewOf(found),
        runs: found.runs.map(runViewOf),
        updated_at: new Date(Math.max(...changesOf(found)))
      })
    }
  })
]

function statusOf(known: DecisionEvaluation): schemas.DecisionStatus {
  const { status, reason, verdict, progress, scores } = evaluationViewOf(known)
  const brief = Object.entries(scores).map(([name, score]) => {
    const { effective_value: value, effective_passed: passed, effective_source: source } = score
    return [name, { value, passed, source }] as const
  })
  return { status, reason, verdict, progress, scores: Object.fromEntries(brief) }
}

interface DatedEvaluation extends DecisionEvaluation {
  readonly storedAt: Date | null
}

function isKnown(found: DatedEvaluation): boolean {
  return found.storedAt !== null || isEvaluated(found)
}

/** Returns the times of all changes in milliseconds since 1970; 0 for an unknown time. */
function changesOf({ storedAt, plan, runs }: DatedEvaluation): number[] {
  const ofRuns = runs.map((run) => run.stored_at ?? run.evaluated_at ?? run.started_at)
  return [storedAt, plan?.planned_at ?? null, ...ofRuns].map(Number)
}
