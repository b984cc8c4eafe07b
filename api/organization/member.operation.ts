/** What a caller needs to know of `/v1/auth/organization/members`. */
import { uuidPattern } from '../../core/ids/ids.ts'
import type { Operation } from '../../http/route.ts'
import { pageExample, pageOf, pageQuerySchema } from '../configuration/list-page.ts'
import { deletedSchema, deleteProblems, idParams } from '../configuration/operation-parts.ts'
import { readProblems, writeProblems } from '../configuration/operation-parts.ts'
import { objectOf, textOrNull, time, uuid } from '../response-schemas.ts'
import { membersMax } from './member-rows.ts'
import { roleSchema } from './organization.operation.ts'

const tag = 'organization'

const member = objectOf({
  user_id: uuid,
  email: { type: 'string' },
  name: textOrNull,
  role: roleSchema,
  email_verified: { type: 'boolean' },
  joined_at: time
})

const example = {
  user_id: '01938c4e-0000-7000-8000-2f6d1c1b8a55',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'admin',
  email_verified: true,
  joined_at: '2026-01-31T12:00:00.000Z'
}

const params = idParams('user_id', uuidPattern, 'As the list answers it.')

export const listMembersOperation: Operation = {
  ...{ operation_id: 'listMembers', tag, summary: 'List members, by email' },
  description: `At most ${membersMax}, with those that are invited.`,
  query: pageQuerySchema,
  response: {
    200: { description: 'A page.', schema: pageOf(member), example: pageExample(example) }
  },
  problems: [...readProblems, 'invalid_query']
}

export const changeMemberOperation: Operation = {
  ...{ operation_id: 'changeMember', tag, summary: 'Give a member another role' },
  description:
    'For admins; only owners make an owner or take it from one. The last owner stays. It holds ' +
    'everywhere within five seconds, and open invites that the member may not make any more are ' +
    'withdrawn.',
  params,
  body: {
    schema: {
      type: 'object',
      properties: { role: roleSchema },
      required: ['role'],
      additionalProperties: false
    },
    example: { role: 'admin' }
  },
  response: { 200: { description: 'The member as it is now.', schema: member, example } },
  problems: [...writeProblems, 'member_not_found', 'last_owner']
}

export const removeMemberOperation: Operation = {
  ...{ operation_id: 'removeMember', tag, summary: 'Remove a member, or leave' },
  description:
    'Anybody may leave; to remove another one is for admins, and an owner for owners. The last ' +
    'owner stays. Sessions that act for the organization end within five seconds, and open ' +
    'invites of the member are withdrawn. API keys go on: they are the organization’s.',
  params,
  response: {
    200: {
      description: 'It is no member any more.',
      schema: deletedSchema('user_id'),
      example: { user_id: example.user_id, deleted: true }
    }
  },
  problems: [...deleteProblems, 'member_not_found', 'last_owner']
}
