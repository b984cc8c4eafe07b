/** Routes for ingestion: its outcomes, the last rejected requests and the ledger. */
import { session } from '../../http/typed-route.ts'
import { attemptsMax } from '../../usage/usage-counters.ts'
import { keptDays } from '../../usage/usage-keys.ts'
import { routesOf } from '../services.ts'
import { readLedger } from './ledger.ts'
import { keysMax, outcomeParameters, readOutcomes, readRejections } from './queries.ts'
import * as schemas from './schemas.ts'

const route = routesOf('ingestion')

export const ingestionRoutes = [
  route({
    method: 'get',
    path: '/v1/ingestion/outcomes',
    who: session,
    id: 'readIngestionOutcomes',
    summary: 'Get the outcomes of ingestion',
    description:
      'Returns the decisions that gateways accepted and rejected, by problem code, in total, by ' +
      `API key (the ${keysMax} keys with the most decisions) and over time. Counts appear within ` +
      `seconds and are kept for ${keptDays} days; \`since\` is where they begin. Hours count in ` +
      'full. Requests without a known key belong to no organization and are not counted. ' +
      '`dropped` is what SDKs reported, which no gateway has seen.',
    query: outcomeParameters,
    answers: { 200: { description: 'The outcomes.', schema: schemas.outcomes } },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query, reply }, services) =>
      reply(200, await readOutcomes(services.store.of(principal.organization_id), services, query))
  }),
  route({
    method: 'get',
    path: '/v1/ingestion/refused',
    who: session,
    id: 'listRejectedRequests',
    summary: 'List rejected requests',
    description:
      `Returns the last ${attemptsMax} rejected requests with keys of the organization, newest ` +
      'first and within seconds, without payload. If the items of a batch are rejected for ' +
      'several reasons, each reason is one entry.',
    answers: { 200: { description: 'The rejected requests.', schema: schemas.rejections } },
    handle: async ({ principal, reply }, services) => {
      const ours = services.store.of(principal.organization_id)
      return reply(200, { data: await readRejections(ours, services) })
    }
  }),
  route({
    method: 'get',
    path: '/v1/ingestion/ledger',
    who: session,
    id: 'readLedger',
    summary: 'Get the ledger of decisions',
    description:
      'Returns the outcome of every message of the organization on the decisions topic, as of ' +
      'the last audit: stored, duplicate, conflict, dead-lettered, erased, in flight or missing. ' +
      'Storage audits the last hours every few minutes. Messages that cannot be decoded name no ' +
      'organization and are in no ledger, like decisions that SDKs dropped.',
    answers: { 200: { description: 'The ledger.', schema: schemas.ledger } },
    share: 'expensive reads',
    handle: async ({ principal, reply }, services) =>
      reply(200, await readLedger(services.store.of(principal.organization_id), services))
  })
]
