/** Routes for stored decisions: lists, search, sessions, facets, feedback and receipts. */
import { formatCursor } from '../../core/cursor.ts'
import { Problem } from '../../core/problem.ts'
import { jsonReply } from '../../http/call.ts'
import { integer, listOf, oneOf, optional, withDefault } from '../../http/schema.ts'
import { key, member, session } from '../../http/typed-route.ts'
import { invalidBody } from '../configuration/problems.ts'
import { limitParameter, pageQuery, rangeOf, textFilter, timePageOf } from '../page.ts'
import { agentIdOf } from '../profiles/agent-name.ts'
import { decisionIdParameter } from '../response-schemas.ts'
import { invalidScore, pushScores } from '../results/scores/push-scores.ts'
import { routesOf } from '../services.ts'
import { rangeOfHours } from '../stats/time-buckets.ts'
import { isReached, waitParameter, waitParameters } from '../poll.ts'
import { lagOf, notStored, readWatermark } from '../watermark.ts'
import { listDecisions, renderDecisions } from './list-decisions.ts'
import * as lists from './list-query.ts'
import { selectFacets, selectPlace } from './queries.ts'
import { selectStoredAt, selectWholeDecision } from './queries.ts'
import type { WholeRow } from './queries.ts'
import * as schemas from './schemas.ts'
import { selectSessionPage } from './sessions.ts'
import { readTrace } from './trace.ts'
import { decisionText, taggedReply } from './views.ts'
import { selectDecisionPage, timePiecesOf } from './walk-decisions.ts'

const path = '/v1/decisions'
const route = routesOf('decisions')

const pages =
  'To get the next page, send `meta.next_cursor` as `cursor` with the same filters. A page ' +
  'may have fewer than `limit` decisions, or none, and still have a next page. An order ' +
  'other than `received_at` requires a range with few decisions. Filters on status, verdict ' +
  'and scores apply to stored results.'

const neighbours = { minimum: 0, maximum: 50, default: 5 }

export const decisionRoutes = [
  route({
    method: 'get',
    path,
    who: session,
    id: 'listDecisions',
    summary: 'List decisions',
    description:
      "Returns summaries of your organization's decisions, newest first. To filter by " +
      `metadata, send \`metadata.<name>=<text>\` for up to five members. ${pages}`,
    query: lists.listQuery,
    queryPatterns: lists.labelPatterns,
    answers: { 200: { description: 'A page of decisions.', schema: schemas.decisionPage } },
    problems: ['invalid_query', 'range_too_large'],
    share: 'expensive reads',
    handle: ({ principal, query }, services) => {
      const db = services.store.of(principal.organization_id)
      return listDecisions(services, db, lists.readListQuery(query))
    }
  }),
  route({
    method: 'post',
    path: `${path}/search`,
    who: session,
    id: 'searchDecisions',
    summary: 'Search decisions',
    description: `Works like the list of decisions, with parameters in the request body. ${pages}`,
    body: lists.decisionSearch,
    answers: { 200: { description: 'A page of decisions.', schema: schemas.decisionPage } },
    problems: ['range_too_large'],
    share: 'expensive reads',
    handle: async ({ principal, body }, services) => {
      const db = services.store.of(principal.organization_id)
      try {
        return await listDecisions(services, db, lists.readSearch(body))
      } catch (error) {
        const isOfBody = error instanceof Problem && error.code === 'invalid_query'
        throw isOfBody ? invalidBody(error.options.errors ?? []) : error
      }
    }
  }),
  route({
    method: 'get',
    path: `${path}/facets`,
    who: session,
    id: 'readFacets',
    summary: 'List the values of a field',
    description:
      'Returns the values of a field that lists can filter by, most frequent first. Counts ' +
      'come from hourly sums, so the first and the last hour of the range count in full. A ' +
      '`status` of null counts decisions without a stored run.',
    query: schemas.facetQuery,
    answers: { 200: { description: 'The values.', schema: schemas.facets } },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query, reply }, { store, decisionsTopic, clock }) => {
      const { field, limit, agent_id } = query
      const now = clock.now()
      const range = rangeOf(query, now)
      const hours = rangeOfHours(range.from.getTime(), range.to?.getTime() ?? now, now)
      const db = store.of(principal.organization_id)
      const watermark = await readWatermark(db, decisionsTopic)
      const found = await selectFacets(db, field, { ...hours, agent_id, groupsMax: limit + 1 })
      const data = found.slice(0, limit)
      const applied = { ...range, field, agent_id }
      const has_more = found.length > limit
      return reply(200, { data, meta: { limit, has_more, ...lagOf(watermark, clock), applied } })
    }
  }),
  route({
    method: 'get',
    path: `${path}/sessions`,
    who: session,
    id: 'listDecisionSessions',
    summary: 'List decision sessions',
    description:
      'Returns sessions, newest activity first. Each sums up the decisions with its ' +
      '`session_id` that were received in the range. A session that gets a decision while you ' +
      'page moves to the front. Session ids of more than 1,024 bytes are not listed. A page ' +
      'may be short or empty and still have a next page.',
    query: {
      ...lists.rangeQuery,
      agent_id: optional(textFilter('Only sessions with a decision of this agent.', 255)),
      limit: limitParameter('Maximum number of sessions on a page.', {
        maximum: 50,
        byDefault: 20
      }),
      cursor: pageQuery('sessions').cursor
    },
    answers: { 200: { description: 'A page of sessions.', schema: schemas.sessionPage } },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query, reply }, { store, decisionsTopic, clock }) => {
      const { cursor, limit, ...texts } = query
      const { range, after } = timePageOf(texts, cursor, clock.now())
      const db = store.of(principal.organization_id)
      const watermark = await readWatermark(db, decisionsTopic)
      const pieces = timePiecesOf(range, clock.now())
      const agentId = texts.agent_id === undefined ? null : agentIdOf(texts.agent_id)
      const { data, next } = await selectSessionPage(db, { pieces, agentId, after, limit })
      const next_cursor = next === null ? null : formatCursor(next, texts)
      const applied = { ...range, agent_id: texts.agent_id }
      return reply(200, { data, meta: { next_cursor, limit, ...lagOf(watermark, clock), applied } })
    }
  }),
  route({
    method: 'get',
    path: `${path}/sessions/:session_id`,
    who: session,
    id: 'readDecisionSession',
    summary: 'List the decisions of a session',
    description:
      'Returns the decisions of a session, oldest first. A session id that does not exist ' +
      'returns an empty list. Percent-encode the id. If a path cannot hold it, as with `..`, ' +
      'use `session_id` of the list of decisions.',
    params: { session_id: textFilter('The `session_id` of the decisions.', 1000) },
    query: {
      from: optional(
        textFilter(`Received at or after this time. Default: ${schemas.sessionFromDefault}.`, 40)
      ),
      to: lists.listQuery.to,
      include: lists.listQuery.include,
      limit: lists.listQuery.limit,
      cursor: lists.listQuery.cursor
    },
    answers: { 200: { description: 'A page of decisions.', schema: schemas.sessionDecisionPage } },
    // A path segment that cannot be a session id, such as `..`, gets `route_not_found`.
    problems: ['invalid_query', 'route_not_found'],
    share: 'expensive reads',
    handle: ({ principal, params: { session_id }, query }, services) => {
      const { from = schemas.sessionFromDefault } = query
      const list = lists.readListQuery({ ...query, from, sort: 'received_at', session_id })
      return listDecisions(services, services.store.of(principal.organization_id), list)
    }
  }),
  route({
    method: 'get',
    path: `${path}/:decision_id`,
    who: session,
    id: 'readDecision',
    summary: 'Get a decision',
    description:
      'Returns the decision as it was sent: `input`, `output` and `metadata` keep all digits ' +
      'of numbers and the order of keys. If storage has not caught up with this request, an ' +
      'id that is not stored returns 404 with `retryable: true`; send `wait` to wait for it. ' +
      'The id of another organization returns 404, as if it did not exist.',
    params: decisionIdParameter,
    query: {
      ...waitParameters('stored'),
      include: optional(
        listOf(oneOf(['runs']), {
          maxItems: 1,
          description: '`runs`: include all runs, as `evaluation.runs`.'
        })
      )
    },
    headers: {
      'If-None-Match': {
        description:
          'The `ETag` of an earlier response. If nothing has changed, the response is 304 ' +
          'without a body.',
        example: '"fHcMB2rMoJ1sVpx0BzD0xVsoNKY"'
      }
    },
    answers: {
      200: {
        description: 'The decision with the current state of its evaluation.',
        headers: { ETag: 'Changes if any part of the response changes.' },
        schema: schemas.decision
      }
    },
    problems: ['decision_not_found', 'invalid_query'],
    handle: async ({ principal, params, query, headers, signal }, services) => {
      const { store, poll, readEvaluation, clock } = services
      const requestedAt = clock.now()
      const db = store.of(principal.organization_id)
      const decisionId = params.decision_id.toLowerCase()
      const { wait, until, include = [] } = query
      let decision: WholeRow | null = null

      /**
       * Reads the decision until it is found. After that, reads only its evaluation, because
       * nothing else can change.
       */
      async function read() {
        decision ??= await selectWholeDecision(db, decisionId)
        if (decision === null) return null
        return { decision, evaluation: await readEvaluation(db, decisionId) }
      }

      const found = await poll(read, (seen) => seen !== null && isReached(until, seen.evaluation), {
        organizationId: db.organizationId,
        waitMs: wait * 1000,
        signal
      })
      if (found === null) throw await notStored(services, db, requestedAt)
      const text = decisionText(found.decision, found.evaluation, include.includes('runs'))
      return taggedReply(text, headers['if-none-match'])
    }
  }),
  route({
    method: 'get',
    path: `${path}/:decision_id/context`,
    who: session,
    id: 'readDecisionContext',
    summary: 'List the decisions around a decision',
    description:
      'Returns the decisions of the same session before and after this decision, each list ' +
      `oldest first, up to ${schemas.contextDays} days away. Both lists are empty if the ` +
      'decision has no session. `trace` has the decisions of the same trace, up to ' +
      `${schemas.traceDays} days away: the newest ${schemas.traceDecisionsMax}, and always this ` +
      'one.',
    params: decisionIdParameter,
    query: {
      before: withDefault(
        integer({ ...neighbours, description: 'Maximum number of decisions before it.' })
      ),
      after: withDefault(
        integer({ ...neighbours, description: 'Maximum number of decisions after it.' })
      )
    },
    answers: {
      200: { description: 'Its neighbors in the session, and its trace.', schema: schemas.context }
    },
    problems: ['decision_not_found', 'invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, params, query: { before, after } }, services) => {
      const requestedAt = services.clock.now()
      const db = services.store.of(principal.organization_id)
      const decision_id = params.decision_id.toLowerCase()
      const place = await selectPlace(db, decision_id)
      if (place === null) throw await notStored(services, db, requestedAt)
      const { session_id, sort_key } = place

      async function neighboursOf(descending: boolean, limit: number): Promise<string> {
        if (session_id === null || limit === 0) return ''
        const page = await selectDecisionPage(
          db,
          {
            range: rangeAround(sort_key, descending),
            filters: { session_id },
            order: { kind: 'time', descending },
            after: { sort_key, id: decision_id },
            limit
          },
          services.clock
        )
        const { texts } = await renderDecisions(db, { page, include: [] }, services.readEvaluations)
        return (descending ? texts.toReversed() : texts).join(',')
      }

      const earlier = await neighboursOf(true, before)
      const later = await neighboursOf(false, after)
      const head = JSON.stringify({ decision_id, session_id }).slice(1, -1)
      const trace = JSON.stringify(await readTrace(services, db, place))
      return jsonReply(200, `{${head},"before":[${earlier}],"after":[${later}],"trace":${trace}}`)
    }
  }),
  route({
    method: 'post',
    path: `${path}/:decision_id/feedback`,
    who: member,
    id: 'giveFeedback',
    summary: 'Send feedback on a decision',
    description:
      'Stores feedback as a score of the decision. With `user_id` the source of the score is ' +
      'that end user, otherwise it is you. The score is visible on the decision immediately.',
    params: decisionIdParameter,
    body: schemas.feedback,
    answers: { 201: { description: 'The feedback is stored.', schema: schemas.storedFeedback } },
    problems: ['decision_not_found', 'limit_reached'],
    handle: async ({ principal, params: { decision_id }, body, reply }, services) => {
      const { name = schemas.feedbackNameDefault, user_id, ...values } = body
      if ([values.value, values.label, values.passed].every((member) => member === undefined)) {
        throw invalidScore([
          { pointer: '/value', detail: 'is required if label and passed are missing' }
        ])
      }
      const source = user_id === undefined ? {} : { source: 'end_user', source_id: user_id }
      const score = { ...values, name, decision_id, ...source }
      const [pushed] = await pushScores(principal, [score], services)
      if (pushed === undefined) throw new Error('the feedback was not processed')
      const { id, result } = pushed
      if (result instanceof Problem) throw result
      return reply(201, { id, name, duplicate: result === null })
    }
  }),
  routesOf('ingest')({
    method: 'get',
    path: '/v1/ingest/:decision_id',
    who: key('ingest'),
    id: 'readReceipt',
    summary: 'Get the storage status of a decision',
    description:
      'Reports whether a decision is stored, for API keys that send decisions: it needs no ' +
      'session and returns no content of the decision. If storage has not caught up with this ' +
      'request, an id that is not stored returns 404 with `retryable: true`; send `wait` to ' +
      'wait for it.',
    params: decisionIdParameter,
    query: { wait: waitParameter('Maximum seconds to wait until the decision is stored.') },
    answers: { 200: { description: 'The decision is stored.', schema: schemas.receipt } },
    problems: ['decision_not_found', 'invalid_query', 'store_unavailable'],
    handle: async ({ principal, params, query: { wait }, signal, reply }, services) => {
      const { store, poll, clock } = services
      const requestedAt = clock.now()
      const db = store.of(principal.organization_id)
      const decision_id = params.decision_id.toLowerCase()
      const stored_at = await poll(
        () => selectStoredAt(db, decision_id),
        (found) => found !== null,
        { organizationId: db.organizationId, waitMs: wait * 1000, signal }
      )
      if (stored_at === null) throw await notStored(services, db, requestedAt)
      return reply(200, { decision_id, state: 'stored', stored_at })
    }
  })
]

const dayMs = 86_400_000

function rangeAround(sortKey: string, descending: boolean) {
  const at = new Date(sortKey).getTime()
  return descending
    ? { from: new Date(at - schemas.contextDays * dayMs), to: new Date(at + 1) }
    : { from: new Date(at), to: new Date(at + schemas.contextDays * dayMs) }
}
