/** What a caller needs to know of the parts of a profile that have routes of their own. */
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { Operation } from '../../http/route.ts'
import { listDecisionsOperation } from '../decisions/list/list-decisions.operation.ts'
import { objectOf } from '../response-schemas.ts'
import { periodParameters, statsExample, statsSchema } from '../stats/read-stats.operation.ts'
import { trendParameters } from '../stats/read-stats.operation.ts'
import { textFilter } from '../text-filter.ts'
import { ingestionDaysMax } from './measures/agent-ingestion.ts'
import * as examples from './profile-examples.ts'
import { trendGroups } from './profile-parts.ts'
import { agentScores, compareMembers, domains, facets, ingestion } from './profile-schema.ts'
import { pricedFacets, sessionMembers } from './profile-schema.ts'
import { agentParams, partMeta, profileProblems, tag } from './profile.operation.ts'
import { sessionsMax } from './measures/select-sessions.ts'
import { compareDaysMax, versionSampleMax } from './select-version-sample.ts'

interface Part {
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly query?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly members: Readonly<Record<string, JsonSchema>>
  readonly example: object
}

function partOf({ id, summary, description, query, required, members, example }: Part): Operation {
  const properties = { ...query, ...periodParameters }
  return {
    ...{ operation_id: id, tag, summary, description, params: agentParams },
    query: {
      type: 'object',
      ...(required === undefined ? {} : { required }),
      properties,
      additionalProperties: false
    },
    response: {
      200: {
        description: summary,
        schema: objectOf({ agent_id: { type: 'string' }, ...members, meta: partMeta }),
        example: { agent_id: 'refund-agent', ...example, meta: examples.metaExample }
      }
    },
    problems: profileProblems
  }
}

const week = 'Of seven days, when no time is said.'

export const readTimeseriesOperation: Operation = {
  ...{ operation_id: 'readProfileTimeseries', tag, summary: 'Trends of an agent' },
  description: 'As GET /v1/decisions/stats answers them, of this agent alone.',
  params: agentParams,
  query: {
    type: 'object',
    properties: {
      ...trendParameters,
      group_by: { type: 'string', enum: trendGroups, default: 'none' },
      domain: textFilter('Only of this domain.', 100),
      ...periodParameters
    },
    additionalProperties: false
  },
  response: { 200: { description: 'The trends.', schema: statsSchema, example: statsExample } },
  problems: profileProblems
}

export const readProfileScoresOperation = partOf({
  id: 'readProfileScores',
  summary: 'Scores of an agent',
  description: `By name, source and evaluator version, each with its trend. ${week}`,
  query: { name: textFilter('Only of this name.', 255) },
  members: { scores: agentScores },
  example: { scores: [examples.scoreExample] }
})

export const readVersionsOperation = partOf({
  id: 'readProfileVersions',
  summary: 'Versions, models and SDKs of an agent',
  description: `When each was seen, and what it did. ${week}`,
  members: { versions: facets, models: pricedFacets, sdk_versions: facets },
  example: {
    versions: [examples.facetExample],
    models: [{ ...examples.facetExample, value: 'gpt-5', cost: examples.costExample }],
    sdk_versions: []
  }
})

export const compareVersionsOperation = partOf({
  id: 'compareProfileVersions',
  summary: 'Compare two versions of an agent',
  description:
    `The newest ${versionSampleMax} decisions of each, of at most ${compareDaysMax} days. ` +
    'Differences are of `b` less `a`, with their intervals; scores are compared within one ' +
    `version of their evaluator. ${week}`,
  query: {
    a: textFilter('A version, as the decisions name it.', 100),
    b: textFilter('The other.', 100)
  },
  required: ['a', 'b'],
  members: compareMembers,
  example: examples.compareExample
})

export const readDomainsOperation = partOf({
  id: 'readProfileDomains',
  summary: 'Domains of an agent',
  description: `The largest, with what the agent did in each. ${week}`,
  members: { domains },
  example: { domains: [examples.domainExample] }
})

export const readSessionsOperation = partOf({
  id: 'readProfileSessions',
  summary: 'Sessions of an agent',
  description:
    `The ${sessionsMax} that were used last, as far as the newest decisions tell; ` +
    `\`sample\` says of how many. ${week}`,
  members: sessionMembers,
  example: examples.sessionsExample
})

export const readAgentIngestionOperation = partOf({
  id: 'readProfileIngestion',
  summary: 'What of an agent was refused or dropped',
  description:
    'By code and by the hour, as gateways note it; null while that cannot be read. Of at most ' +
    `${ingestionDaysMax} days.`,
  members: { ingestion },
  example: { ingestion: examples.ingestionExample }
})

const listParameters = Object.entries(listDecisionsOperation.query?.['properties'] ?? {}).filter(
  ([name]) => name !== 'agent_id'
)

export const listAgentDecisionsOperation: Operation = {
  ...listDecisionsOperation,
  ...{ operation_id: 'listProfileDecisions', tag, summary: 'List the decisions of an agent' },
  description: 'As GET /v1/decisions lists them, of this agent alone.',
  params: agentParams,
  query: { ...listDecisionsOperation.query, properties: Object.fromEntries(listParameters) },
  problems: [...listDecisionsOperation.problems, 'agent_not_found']
}
