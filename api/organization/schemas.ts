/** Request and response schemas for organizations and their members. */
import { uuidPattern } from '../../core/ids/ids.ts'
import { userRoles } from '../../core/user-role.ts'
import { boolean, closed, integer, objectOf, oneOf, orNull } from '../../http/schema.ts'
import { schemaFor, text } from '../../http/schema.ts'
import { accessTokenMembers } from '../accounts/schemas.ts'
import { nameText, time, uuid } from '../response-schemas.ts'

export const role = oneOf(userRoles, { example: 'member' })

const exampleName = 'Acme Agents'

export const organization = objectOf({
  organization_id: uuid,
  name: text({ example: exampleName }),
  rate_limit_points: orNull(
    integer({
      description:
        'The maximum number of decisions in a rate-limit window; null for the default of the ' +
        'gateway.'
    }),
    { example: null }
  ),
  created_at: time,
  members: integer({ minimum: 0, description: 'The number of members.', example: 3 }),
  role: schemaFor<string>({ enum: userRoles, description: 'Your role.', example: 'owner' })
})

export const organizationChange = closed({
  name: text({
    ...nameText,
    description: 'The display name. It need not be unique.',
    example: exampleName
  })
})

export const organizationSwitch = closed({
  organization_id: text({
    pattern: uuidPattern,
    description: 'An organization that you are a member of.',
    example: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
  })
})

export const switchedSession = objectOf({
  ...accessTokenMembers,
  organization_id: uuid,
  role: oneOf(userRoles, { description: 'Your role in that organization.', example: 'member' })
})

export const member = objectOf({
  user_id: uuid,
  email: text({ example: 'ada@example.com' }),
  name: orNull(text({ example: 'Ada' })),
  role,
  email_verified: boolean(),
  joined_at: time
})

export const memberChange = closed({ role })

export const memberParams = {
  user_id: text({
    pattern: uuidPattern,
    description: 'The `user_id` from the list of members.'
  })
}
