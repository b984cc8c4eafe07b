/** Routes for agents and their profiles. */
import type { Principal } from '../../core/principal.ts'
import { jsonReply } from '../../http/call.ts'
import { oneOf, optional, schemaFor, text, withDefault } from '../../http/schema.ts'
import { member, session, sessionOrKey } from '../../http/typed-route.ts'
import { keptDays } from '../../usage/usage-keys.ts'
import { plainText } from '../response-schemas.ts'
import { listDecisions } from '../decisions/list-decisions.ts'
import { labelPatterns, listQuery, readListQuery } from '../decisions/list-query.ts'
import { decisionPage } from '../decisions/schemas.ts'
import { auditOriginOf, recordAudit } from '../organization/record-audit.ts'
import { routesOf } from '../services.ts'
import type { Services } from '../services.ts'
import { hourRangeOf, periodParameters, statsParameters, windowParameter } from '../stats/query.ts'
import type { PeriodTexts } from '../stats/query.ts'
import { statsOf } from '../stats/routes.ts'
import { stats } from '../stats/schemas.ts'
import { selectSums } from '../stats/select-sums.ts'
import { nowOf } from '../stats/stats-series.ts'
import { decisionSource } from '../stats/sum-sources.ts'
import { bucketsOf } from '../stats/time-buckets.ts'
import type { HourRange } from '../stats/time-buckets.ts'
import { cursorParameter, pageQuery, pageReply, textFilter } from '../page.ts'
import { lagOf, readWatermark } from '../watermark.ts'
import type { Watermark } from '../watermark.ts'
import { agentsMax, filterAgents, readCandidates, readListed } from './agent-list.ts'
import { agentIdOf } from './agent-name.ts'
import { agentPage, cursorCharsMax, sortNames } from './agent-page.ts'
import type { SortName } from './agent-page.ts'
import { agentStatuses } from './agent-status.ts'
import { costOf } from './agent-sums.ts'
import { compareDaysMax, compareVersions, versionSampleMax } from './compare-versions.ts'
import { sampleMax, selectSessions, sessionsMax } from './newest-decisions.ts'
import { facetsOf, readDomains, readIngestion, readProfile } from './profile.ts'
import { scoresOf, selectFacets, selectScores } from './profile.ts'
import { changeProfile, findRecord } from './queries.ts'
import * as schemas from './schemas.ts'

const path = '/v1/profiles/:agent_id'
const route = routesOf('profiles')
const reader = sessionOrKey('profiles:read')
const params = {
  agent_id: text({
    pattern: plainText,
    description: 'The URL-encoded agent id; `_unattributed` selects decisions without an agent.'
  })
}
const window = withDefault(schemaFor<string>({ ...windowParameter, default: '24h' }))
const week = 'Default time: the last 7 days.'

/** Maps the values of `group_by` to the groups of the statistics API. */
const groups = {
  none: 'none',
  version: 'agent_version',
  domain: 'domain',
  model: 'model'
} as const
const groupNames = Object.keys(groups) as (keyof typeof groups)[]

/** Properties shared by the routes that read measures of a single agent. */
const read = {
  method: 'get',
  who: reader,
  params,
  problems: ['agent_not_found', 'invalid_query']
} as const
const expensiveRead = { ...read, share: 'expensive reads' } as const

const description = 'The data of the agent.'

export const profileRoutes = [
  route({
    method: 'get',
    path: '/v1/profiles',
    who: reader,
    id: 'listProfiles',
    summary: 'List agents',
    description:
      'Returns all agents with stored decisions, by default the busiest first. Archived ' +
      `agents are included only with \`status=archived\`. Only the ${agentsMax} most recently ` +
      'seen agents are considered; `meta.cut` reports whether there may be more.',
    query: {
      window,
      q: optional(
        textFilter('Only agents whose id or name contains this text. Case does not matter.', 255)
      ),
      tag: optional(textFilter('Only agents with this tag.', schemas.tagCharsMax)),
      status: optional(oneOf(agentStatuses, { type: 'string' })),
      sort: withDefault(
        oneOf(
          sortNames.flatMap((name) => [`-${name}`, name] as const),
          {
            type: 'string',
            default: '-volume',
            description: 'Prefix `-` for descending order. Agents without a value come last.'
          }
        )
      ),
      ...pageQuery('agents'),
      cursor: cursorParameter(cursorCharsMax)
    },
    answers: { 200: { description: 'A page of agents.', schema: schemas.agentList } },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query }, { store, clock, decisionsTopic }) => {
      const { cursor, limit, sort, ...filters } = query
      const now = clock.now()
      const range = hourRangeOf({ window: filters.window }, now)
      const ours = store.of(principal.organization_id)
      const watermark = await readWatermark(ours, decisionsTopic)
      const knownUntil = knownUntilOf(watermark, now)
      const sortedBy = sort.replace('-', '') as SortName
      const agents = await readCandidates(ours, { tag: filters.tag, sort: sortedBy, range })
      const chosen = await filterAgents(ours, agents, { ...filters, knownUntil })
      const { page, next_cursor } = agentPage(chosen, { sort, limit, cursor, filters })
      const rows = await readListed(ours, page, { range, knownUntil })
      const meta = {
        next_cursor,
        limit,
        applied: { ...appliedOf(range), sort },
        cut: agents.length >= agentsMax,
        ...lagOf(watermark, clock)
      }
      return pageReply(rows, (row) => row, meta)
    }
  }),
  route({
    ...expensiveRead,
    path,
    id: 'readProfile',
    summary: 'Get an agent profile',
    description:
      'Returns the profile of an agent: its description, its status, and its measures in the ' +
      'window and in the previous one. Every rate comes with its count and its confidence ' +
      'interval. A measure that decisions do not report is null, never 0. Percentiles and ' +
      `sessions are computed from the newest ${sampleMax} decisions of at most 31 days; ` +
      '`sample` reports how many were read.',
    query: { window },
    answers: { 200: { description: 'The profile.', schema: schemas.profile } },
    handle: async (call, services) => {
      const { agent, record, knownUntil, head } = await findAgent(call, services)
      const [profile, ingestion] = await Promise.all([
        readProfile(agent, { record, knownUntil }),
        readIngestion(services, agent)
      ])
      return call.reply(200, { ...head, ...profile, ingestion })
    }
  }),
  route({
    method: 'patch',
    path,
    who: member,
    id: 'editProfile',
    summary: 'Update an agent profile',
    description:
      'Updates the members in the body and keeps the others; null removes a value. Set ' +
      '`prices` to get the cost of tokens. An archived agent is not listed; its decisions are ' +
      'still stored.',
    params,
    body: schemas.profileChange,
    answers: { 200: { description: 'The updated profile.', schema: schemas.editedProfile } },
    problems: ['agent_not_found'],
    handle: async (call, { store }) => {
      const { organization_id: organizationId, user_id: userId } = call.principal
      const { agent_id } = call.params
      const agentId = agentIdOf(agent_id)
      const changed = await store.of(organizationId).change(async (transaction) => {
        const edit = { organizationId, agentId, userId }
        const record = await changeProfile(transaction, edit, call.body)
        await recordAudit(transaction, auditOriginOf(call), {
          action: 'profile.changed',
          kind: 'agent',
          id: agent_id,
          details: { members: Object.keys(call.body) }
        })
        return record
      })
      return call.reply(200, { ...changed, agent_id })
    }
  }),
  route({
    ...expensiveRead,
    path: `${path}/timeseries`,
    id: 'readProfileTimeseries',
    summary: 'Get the trends of an agent',
    description: 'Returns the same data as GET /v1/decisions/stats, for this agent only.',
    query: {
      ...withoutAgent(statsParameters),
      group_by: withDefault(oneOf(groupNames, { type: 'string', default: 'none' }))
    },
    answers: { 200: { description: 'The trends.', schema: stats } },
    handle: async ({ principal, params: { agent_id }, query }, services) => {
      const { organization_id } = principal
      await findRecord(services.store.of(organization_id), agent_id, services.decisionsTopic)
      const texts = { ...query, agent_id, group_by: groups[query.group_by] }
      return jsonReply(200, await statsOf(services, organization_id, texts))
    }
  }),
  route({
    ...expensiveRead,
    path: `${path}/scores`,
    id: 'readProfileScores',
    summary: 'List the scores of an agent',
    description:
      'Returns scores by name, source and evaluator version, each with its trend. ' + week,
    query: {
      name: optional(textFilter('Only scores with this name.', 255)),
      ...periodParameters
    },
    answers: { 200: { description, schema: schemas.scoresPart } },
    handle: async (call, services) => {
      const { agent, head } = await findAgent(call, services)
      const { store, agentId, range } = agent
      const { from, to } = range
      const starts = [from, ...bucketsOf(range, 'auto', 'UTC').starts.slice(1)]
      const all = { groups: [], filters: { agentId }, from, to, starts: [from], seriesMax: 1 }
      const [rows, sums] = await Promise.all([
        selectScores(agent, starts, call.query.name),
        selectSums(store, decisionSource, all)
      ])
      return call.reply(200, {
        ...head,
        scores: scoresOf(rows, starts, nowOf(sums).decisions ?? 0)
      })
    }
  }),
  route({
    ...expensiveRead,
    path: `${path}/versions`,
    id: 'readProfileVersions',
    summary: 'List the versions of an agent',
    description:
      'Returns the versions, models and SDK versions of an agent: when each was first and last ' +
      `seen, and its measures. ${week}`,
    query: periodParameters,
    answers: { 200: { description, schema: schemas.versionsPart } },
    handle: async (call, services) => {
      const { agent, record, head } = await findAgent(call, services)
      const facets = facetsOf(await selectFacets(agent))
      const models = facets.models.map((model) => {
        return { ...model, cost: costOf(record.prices, [model]) }
      })
      return call.reply(200, { ...head, ...facets, models })
    }
  }),
  route({
    ...expensiveRead,
    path: `${path}/compare`,
    id: 'compareProfileVersions',
    summary: 'Compare two versions of an agent',
    description:
      `Compares the newest ${versionSampleMax} decisions of each version, of at most ` +
      `${compareDaysMax} days. \`delta\` is \`b\` minus \`a\`, with its confidence interval. ` +
      `Scores are compared only within the same evaluator version. ${week}`,
    query: {
      a: textFilter('The first version, as in `metadata.agent_version`.', 100),
      b: textFilter('The second version.', 100),
      ...periodParameters
    },
    answers: { 200: { description, schema: schemas.versionComparison } },
    handle: async (call, services) => {
      const { agent, head } = await findAgent(call, services)
      return call.reply(200, { ...head, ...(await compareVersions(agent, call.query)) })
    }
  }),
  route({
    ...expensiveRead,
    path: `${path}/domains`,
    id: 'readProfileDomains',
    summary: 'List the domains of an agent',
    description: `Returns the largest domains with their measures. ${week}`,
    query: periodParameters,
    answers: { 200: { description, schema: schemas.domainsPart } },
    handle: async (call, services) => {
      const { agent, head } = await findAgent(call, services)
      return call.reply(200, { ...head, domains: await readDomains(agent) })
    }
  }),
  route({
    ...expensiveRead,
    path: `${path}/sessions`,
    id: 'readProfileSessions',
    summary: 'List the sessions of an agent',
    description:
      `Returns the ${sessionsMax} most recently used sessions among the newest decisions; ` +
      `\`sample\` reports how many decisions were read. ${week}`,
    query: periodParameters,
    answers: { 200: { description, schema: schemas.sessionsPart } },
    handle: async (call, services) => {
      const { agent, head } = await findAgent(call, services)
      return call.reply(200, { ...head, ...(await selectSessions(agent)) })
    }
  }),
  route({
    ...read,
    path: `${path}/ingestion`,
    id: 'readProfileIngestion',
    summary: 'Get the ingestion errors of an agent',
    description:
      'Returns the decisions that gateways rejected, by problem code, and that SDKs dropped, ' +
      'by reason, in total and by hour. Null if the counters are unavailable. Covers at most ' +
      `${keptDays} days.`,
    query: periodParameters,
    answers: { 200: { description, schema: schemas.ingestionPart } },
    handle: async (call, services) => {
      const { agent, head } = await findAgent(call, services)
      return call.reply(200, { ...head, ingestion: await readIngestion(services, agent) })
    }
  }),
  route({
    method: 'get',
    path: `${path}/decisions`,
    // Requires a session, because API keys cannot read decisions.
    who: session,
    id: 'listProfileDecisions',
    summary: 'List the decisions of an agent',
    description: 'Returns the same data as GET /v1/decisions, for this agent only.',
    params,
    query: withoutAgent(listQuery),
    queryPatterns: labelPatterns,
    answers: { 200: { description: 'A page of decisions.', schema: decisionPage } },
    problems: ['invalid_query', 'range_too_large', 'agent_not_found'],
    share: 'expensive reads',
    handle: async (call, services) => {
      const ours = services.store.of(call.principal.organization_id)
      const { agent_id } = call.params
      await findRecord(ours, agent_id, services.decisionsTopic)
      const query = readListQuery({ ...call.query, agent_id })
      return listDecisions(services, ours, query)
    }
  })
]

interface AgentCall {
  readonly principal: Principal
  readonly params: { readonly agent_id: string }
  readonly query: PeriodTexts
}

/** @throws {Problem} 404 if the agent has no stored decision; 422 for an invalid range */
async function findAgent(
  { principal, params: { agent_id }, query }: AgentCall,
  { store, clock, decisionsTopic }: Services
) {
  const now = clock.now()
  const range = hourRangeOf(query, now)
  const ours = store.of(principal.organization_id)
  // Read the watermark before the sums, so that the sums include everything up to it.
  const { as_of, ...record } = await findRecord(ours, agent_id, decisionsTopic)
  return {
    agent: { store: ours, agentId: record.agent_id, range },
    record,
    knownUntil: knownUntilOf({ as_of }, now),
    /** The members that all responses about an agent have. */
    head: { agent_id, meta: { applied: appliedOf(range), ...lagOf({ as_of }, clock) } }
  }
}

/**
 * Returns the time up to which decisions are stored, in milliseconds since 1970. If storage has not
 * reported yet, returns `now`.
 */
function knownUntilOf({ as_of }: Watermark, now: number): number {
  return Math.min(now, as_of?.getTime() ?? now)
}

function appliedOf({ from, to }: HourRange) {
  return { from: new Date(from), to: new Date(to) }
}

function withoutAgent<Q extends { readonly agent_id: unknown }>({ agent_id: _, ...query }: Q) {
  return query
}
