/** What a caller needs to know of `/v1/auth/organization/invites`, and of accepting one. */
import { emailCharsMax } from '../../../core/account-rules.ts'
import { uuidPattern } from '../../../core/ids/ids.ts'
import type { Operation } from '../../../http/route.ts'
import { pageExample, pageOf, pageQuerySchema } from '../../configuration/list-page.ts'
import { bodyProblems, deletedSchema, deleteProblems } from '../../configuration/operation-parts.ts'
import { idParams, plainText } from '../../configuration/operation-parts.ts'
import { readProblems, writeProblems } from '../../configuration/operation-parts.ts'
import { objectOf, textOrNull, time, uuid } from '../../response-schemas.ts'
import { inviteDays } from './invite-rows.ts'
import { membersMax } from '../member-rows.ts'
import { roleSchema } from '../organization.operation.ts'
import { invitesPerDay, invitesToOneInAllPerHour, invitesToOnePerHour } from './throttle-invites.ts'

const tag = 'organization'
const tokenCharsMax = 200

const inviteMembers = {
  invite_id: uuid,
  email: { type: 'string' },
  role: roleSchema,
  invited_by: { ...uuid, description: 'The member who did.' },
  created_at: time,
  expires_at: time,
  state: { enum: ['pending', 'expired'] }
}

const example = {
  invite_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
  email: 'grace@example.com',
  role: 'member',
  invited_by: '01938c4e-0000-7000-8000-2f6d1c1b8a55',
  created_at: '2026-01-31T12:00:00.000Z',
  expires_at: '2026-02-07T12:00:00.000Z',
  state: 'pending'
}
const token = 'sli_q3Zr0h0tq5L8mJ1yXo5gTzqkQb0nq9mJmD4S2hG7c1E'

export const listInvitesOperation: Operation = {
  ...{ operation_id: 'listInvites', tag, summary: 'List open invites, the oldest first' },
  description: 'For admins. Those that were accepted or withdrawn are in the audit log.',
  query: pageQuerySchema,
  response: {
    200: {
      description: 'A page.',
      schema: pageOf(objectOf(inviteMembers)),
      example: pageExample(example)
    }
  },
  problems: [...deleteProblems, 'invalid_query']
}

export const createInviteOperation: Operation = {
  ...{ operation_id: 'createInvite', tag, summary: 'Invite somebody' },
  description:
    'For admins; only owners invite an owner. The response has the token, once, and so has an ' +
    'email, where mail is set up. With REGISTRATION=open only the email has it: it proves the ' +
    `address. It is valid for ${inviteDays} days. Another invite for the same email takes ` +
    `the place of an open one. At most ${membersMax} members and open invites, and ` +
    `${invitesPerDay} invites in 24 hours; ${invitesToOnePerHour} an hour to one address, and ` +
    `${invitesToOneInAllPerHour} of all organizations together.`,
  body: {
    schema: {
      type: 'object',
      required: ['email', 'role'],
      properties: {
        email: {
          type: 'string',
          minLength: 1,
          maxLength: emailCharsMax,
          pattern: plainText,
          description: 'Upper and lower case are the same.'
        },
        role: roleSchema
      },
      additionalProperties: false
    },
    example: { email: example.email, role: example.role }
  },
  response: {
    201: {
      description: 'The invite, with its token.',
      schema: objectOf({
        ...inviteMembers,
        token: {
          ...textOrNull,
          description:
            'For the person invited. It is not shown again; null where REGISTRATION=open.'
        }
      }),
      example: { ...example, token }
    }
  },
  problems: [...writeProblems, 'already_member', 'limit_reached', 'login_throttled']
}

export const deleteInviteOperation: Operation = {
  ...{ operation_id: 'deleteInvite', tag, summary: 'Withdraw an invite' },
  description: 'For admins. Its token is worth nothing from then on.',
  params: idParams('invite_id', uuidPattern, 'As it was answered when it was made.'),
  response: {
    200: {
      description: 'It is withdrawn.',
      schema: deletedSchema('invite_id'),
      example: { invite_id: example.invite_id, deleted: true }
    }
  },
  problems: [...deleteProblems, 'invite_not_found']
}

export const acceptInviteOperation: Operation = {
  ...{ operation_id: 'acceptInvite', tag, summary: 'Accept an invite' },
  description:
    'For somebody with an account whose email is the one invited; whoever has none registers ' +
    'with the token. Your session goes on for the organization it acts for: switch to this one.',
  body: {
    schema: {
      type: 'object',
      required: ['token'],
      properties: {
        token: { type: 'string', minLength: 1, maxLength: tokenCharsMax, pattern: plainText }
      },
      additionalProperties: false
    },
    example: { token }
  },
  response: {
    200: {
      description: 'You are a member.',
      schema: objectOf({
        organization_id: uuid,
        name: { type: 'string', description: 'Of the organization.' },
        role: roleSchema
      }),
      example: {
        organization_id: '01938c4e-0000-7000-8000-5b7a9f002f6d',
        name: 'Acme Agents',
        role: 'member'
      }
    }
  },
  problems: [...readProblems, ...bodyProblems, 'token_invalid', 'already_member']
}
