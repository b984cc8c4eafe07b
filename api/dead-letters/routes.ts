/** Routes for the dead-letter records of an organization. */
import { Problem } from '../../core/problem.ts'
import { admin, session } from '../../http/typed-route.ts'
import { deadLetterTopicOf } from '../../schemas/index.ts'
import { resultPageOf } from '../results/bounded-page.ts'
import type { ResultPage } from '../results/bounded-page.ts'
import { routesOf } from '../services.ts'
import type { Services } from '../services.ts'
import type { OrganizationStore } from '../store.ts'
import { lagOf, readWatermark } from '../watermark.ts'
import type { Watermark } from '../watermark.ts'
import * as queries from './queries.ts'
import { requestAction } from './request-action.ts'
import * as schemas from './schemas.ts'
import { detailViewOf, entryViewOf } from './views.ts'

const path = '/v1/dead-letters'
const route = routesOf('dead-letters')

const everyResult =
  'Check every result: the status is 200 even if some fail. Storage carries out the request, and ' +
  'the response waits up to 15 seconds; records that are `pending` then are handled later.'

export const deadLetterRoutes = [
  route({
    method: 'get',
    path,
    who: session,
    id: 'listDeadLetters',
    summary: 'List dead-letter records',
    description:
      'Returns the messages of your organization that a consumer group could not process, ' +
      'newest first. `meta.matched` counts the records that match the filters on all pages. ' +
      'A page may have fewer records than `limit`, or none, and still have a next page; ' +
      'continue until `meta.next_cursor` is null. Records are kept for as long as the ' +
      'dead-letter topic keeps them. Records that do not name their organization and decision ' +
      'are only visible to the operator.',
    query: schemas.listQuery,
    answers: {
      200: { description: 'A page of dead-letter records.', schema: schemas.deadLetterPage }
    },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query, reply }, services) => {
      const { store, clock, decisionsTopic } = services
      const page = resultPageOf(query, clock.now())
      const ours = store.of(principal.organization_id)
      const watermark = await readIndexWatermark(ours, services)
      const { data, meta } = await queries.readRecordPage(ours, page)
      return reply(200, {
        data: data.map((row) => entryViewOf(row, decisionsTopic)),
        meta: {
          ...meta,
          ...lagOf(watermark, clock),
          ...(await countMatching(ours, page, { data, meta })),
          applied: page.range
        }
      })
    }
  }),
  route({
    method: 'get',
    path: `${path}/:dead_letter_id`,
    who: session,
    id: 'readDeadLetter',
    summary: 'Get a dead-letter record',
    description:
      'Returns a dead-letter record with the headers, key and value of the original message. A ' +
      'long value is truncated.',
    params: schemas.deadLetterParams,
    answers: { 200: { description: 'The dead-letter record.', schema: schemas.deadLetter } },
    problems: ['dead_letter_not_found'],
    share: 'expensive reads',
    handle: async ({ principal, params, reply }, { store, decisionsTopic }) => {
      const ours = store.of(principal.organization_id)
      const found = await queries.findRecord(ours, params.dead_letter_id)
      if (found === null) throw notFound()
      return reply(200, detailViewOf(found, decisionsTopic))
    }
  }),
  route({
    method: 'post',
    path: `${path}/replay`,
    who: admin,
    id: 'replayDeadLetters',
    summary: 'Replay dead-letter records',
    description:
      'Writes messages back to their original topic, with their original key, value and ' +
      `headers: up to ${schemas.recordsMax} records by id, or the oldest open records that ` +
      `match a filter. ${everyResult} A replayed message can fail again: it then has another ` +
      'record, `failed_again_as`. A filter without a `reason` skips `id_conflict` and ' +
      '`empty_value`, and they are never replayed, because they would fail again. If two groups ' +
      'rejected a message, it is replayed once. A message can be written twice after a failure, ' +
      'but each decision is stored once. Requires the role admin or higher.',
    body: schemas.actionRequest,
    answers: { 200: { description: 'One result per record.', schema: schemas.actionResult } },
    handle: async (call, services) => call.reply(200, await requestAction('replay', call, services))
  }),
  route({
    method: 'post',
    path: `${path}/drop`,
    who: admin,
    id: 'dropDeadLetters',
    summary: 'Drop dead-letter records',
    description:
      `Marks records as no longer needed: up to ${schemas.recordsMax} records by id, or the ` +
      `oldest open records that match a filter. ${everyResult} Dropped records stay visible ` +
      'until their topic deletes them, and cannot be replayed. Requires the role admin or higher.',
    body: schemas.actionRequest,
    answers: { 200: { description: 'One result per record.', schema: schemas.actionResult } },
    handle: async (call, services) => call.reply(200, await requestAction('drop', call, services))
  })
]

/** Counts the matching records. If the first page is the whole list, counts its rows instead. */
async function countMatching(
  ours: OrganizationStore,
  page: ResultPage<schemas.DeadLetterFilters>,
  { data, meta }: Awaited<ReturnType<typeof queries.readRecordPage>>
) {
  const isWhole = page.after === null && meta.next_cursor === null
  if (isWhole) return { matched: data.length, more_than_matched: false }
  return queries.countRecords(ours, page)
}

function notFound(): Problem {
  const detail = 'No dead-letter record with this id exists, or its topic no longer keeps it.'
  return new Problem('dead_letter_not_found', { detail })
}

/** Reads the time up to which storage has indexed both dead-letter topics. */
async function readIndexWatermark(
  store: OrganizationStore,
  { decisionsTopic, evaluationsTopic }: Pick<Services, 'decisionsTopic' | 'evaluationsTopic'>
): Promise<Watermark> {
  const topics = [decisionsTopic, evaluationsTopic].map(deadLetterTopicOf)
  const [one, other] = await Promise.all(topics.map((topic) => readWatermark(store, topic)))
  if (!one?.as_of || !other?.as_of) return { as_of: null }
  return one.as_of < other.as_of ? one : other
}
