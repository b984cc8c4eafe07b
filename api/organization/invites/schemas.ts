/** Request and response schemas for invites. */
import { emailCharsMax } from '../../../core/account-rules.ts'
import { uuidPattern } from '../../../core/ids/ids.ts'
import { closed, objectOf, oneOf, orNull, text, timeWith } from '../../../http/schema.ts'
import { plainText, time, uuid } from '../../response-schemas.ts'
import { role } from '../schemas.ts'

export const inviteDays = 7

const exampleEmail = 'grace@example.com'
const exampleToken = 'sli_q3Zr0h0tq5L8mJ1yXo5gTzqkQb0nq9mJmD4S2hG7c1E'

export const invite = objectOf({
  invite_id: uuid,
  email: text({ example: exampleEmail }),
  role,
  invited_by: text({ format: 'uuid', description: 'The id of the member who sent the invite.' }),
  created_at: time,
  expires_at: timeWith({ example: '2026-02-07T12:00:00.000Z' }),
  state: oneOf(['pending', 'expired'])
})

export const inviteWithToken = objectOf({
  ...invite.properties,
  token: orNull(
    text({
      description:
        'The token for the invited user. It is not shown again. Null with REGISTRATION=open.',
      example: exampleToken
    })
  )
})

export const newInvite = closed({
  email: text({
    minLength: 1,
    maxLength: emailCharsMax,
    pattern: plainText,
    description: 'Not case-sensitive.',
    example: exampleEmail
  }),
  role
})

export const inviteParams = {
  invite_id: text({
    pattern: uuidPattern,
    description: 'The `invite_id` of the response that created the invite.'
  })
}

export const acceptance = closed({
  token: text({ minLength: 1, maxLength: 200, pattern: plainText, example: exampleToken })
})

export const membership = objectOf({
  organization_id: uuid,
  name: text({ description: 'The name of the organization.', example: 'Acme Agents' }),
  role
})
