/** What a caller needs to know of `/v1/profiles`: the list, a profile, and changing it. */
import type { ProblemCode } from '../../core/problem.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { Operation } from '../../http/route.ts'
import { idParams, plainText, readProblems } from '../configuration/operation-parts.ts'
import { writeProblems } from '../configuration/operation-parts.ts'
import { lagExample, lagMembers, pageParameters } from '../page-parameters.ts'
import { objectOf, time } from '../response-schemas.ts'
import { windowParameter } from '../stats/read-stats.operation.ts'
import { textFilter } from '../text-filter.ts'
import { cursorCharsMax, sortNames } from './agent-page.ts'
import { agentStatuses } from './measures/agent-status.ts'
import * as examples from './profile-examples.ts'
import { editableMembers, identityMembers, listedMembers } from './profile-schema.ts'
import { priceSchema, profileMembers } from './profile-schema.ts'
import { agentsMax } from './read-agents.ts'
import { sampleMax } from './measures/select-sample.ts'

export const tag = 'profiles'
export const limits = Object.freeze({ name: 200, description: 4000, owner: 200, tags: 20, tag: 50 })
const pricesMax = 50

export const profileProblems = [
  ...readProblems,
  ...(['scope_missing', 'api_key_malformed', 'api_key_invalid'] as const),
  ...(['agent_not_found', 'invalid_query'] as const)
] as const satisfies readonly ProblemCode[]

export const agentParams = idParams(
  'agent_id',
  plainText,
  'URL-encoded; `_unattributed` is the decisions that name none.'
)

export const window: JsonSchema = { ...windowParameter, default: '24h' }

export const partMeta = objectOf({ applied: objectOf({ from: time, to: time }), ...lagMembers })

export const listProfilesOperation: Operation = {
  ...{ operation_id: 'listProfiles', tag, summary: 'List agents, and how they are' },
  description:
    'Everybody of whom something was stored, the busiest first; the archived ones only when ' +
    `asked for. The ${agentsMax} that were seen last are looked at; \`meta.cut\` says when there ` +
    'are more.',
  query: {
    type: 'object',
    properties: {
      window,
      q: textFilter('Only where it is part of the id or the name, in any case.', 255),
      tag: textFilter('Only with this tag.', limits.tag),
      status: { type: 'string', enum: agentStatuses },
      sort: {
        type: 'string',
        enum: sortNames.flatMap((name) => [`-${name}`, name]),
        default: '-volume',
        description: 'Descending with `-`; what is not known comes last.'
      },
      ...pageParameters('Agents on a page.'),
      cursor: textFilter(
        'Where the page begins: `meta.next_cursor` of the page before.',
        cursorCharsMax
      )
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'A page.',
      schema: objectOf({
        data: { type: 'array', items: objectOf(listedMembers) },
        meta: objectOf({
          ...{ next_cursor: { type: ['string', 'null'] }, limit: { type: 'integer' } },
          applied: objectOf({ from: time, to: time, sort: { type: 'string' } }),
          ...{ cut: { type: 'boolean' }, ...lagMembers }
        })
      }),
      example: {
        data: [examples.listedExample],
        meta: {
          ...{ next_cursor: null, limit: 50, cut: false, ...lagExample },
          applied: { ...examples.metaExample.applied, sort: '-volume' }
        }
      }
    }
  },
  problems: profileProblems.filter((code) => code !== 'agent_not_found')
}

export const readProfileOperation: Operation = {
  ...{ operation_id: 'readProfile', tag, summary: 'Read the profile of an agent' },
  description:
    'What it is, whether it is at work, what it did in the window and in the one before. Every ' +
    'rate has its number and its interval; what nobody told is null, never 0. Percentiles and ' +
    `sessions are of the newest ${sampleMax} decisions of at most 31 days; \`sample\` says of ` +
    'how many.',
  params: agentParams,
  query: { type: 'object', properties: { window }, additionalProperties: false },
  response: {
    200: {
      description: 'The profile.',
      schema: objectOf({ ...profileMembers, meta: partMeta }),
      example: { ...examples.profileExample, meta: examples.metaExample }
    }
  },
  problems: profileProblems
}

function textUpTo(maxLength: number): JsonSchema {
  return { type: ['string', 'null'], minLength: 1, maxLength, pattern: plainText }
}

export const editProfileOperation: Operation = {
  ...{ operation_id: 'editProfile', tag, summary: 'Say who an agent is' },
  description:
    'Members that are left out stay; null takes one away. With `prices` the profile can say what ' +
    'the tokens cost. An archived agent is not listed; its decisions are stored as before.',
  params: agentParams,
  body: {
    schema: {
      type: 'object',
      minProperties: 1,
      properties: {
        name: textUpTo(limits.name),
        description: textUpTo(limits.description),
        owner: textUpTo(limits.owner),
        tags: {
          type: 'array',
          maxItems: limits.tags,
          items: { type: 'string', minLength: 1, maxLength: limits.tag, pattern: plainText }
        },
        prices: {
          type: ['object', 'null'],
          maxProperties: pricesMax,
          propertyNames: { minLength: 1, maxLength: 100, pattern: plainText },
          additionalProperties: priceSchema,
          description: 'By model, as decisions name it; `*` is any other.'
        },
        archived: { type: 'boolean' }
      },
      additionalProperties: false
    },
    example: { name: 'Refunds', owner: 'payments', tags: ['production'] }
  },
  response: {
    200: {
      description: 'What is said of it now.',
      schema: objectOf({ ...identityMembers, ...editableMembers }),
      example: { ...examples.identityExample, ...examples.editableExample }
    }
  },
  problems: [...writeProblems, 'agent_not_found']
}
