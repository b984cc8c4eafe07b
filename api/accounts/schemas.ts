/** Request and response schemas for accounts, sessions and passwords. */
import { apiKeyScopes } from '../../core/ids/api-key.ts'
import { uuidPattern } from '../../core/ids/ids.ts'
import { tokenPattern } from '../../core/ids/opaque-token.ts'
import { userRoles } from '../../core/user-role.ts'
import { boolean, closed, listOf, objectOf, oneOf, optional } from '../../http/schema.ts'
import { orNull, schemaFor, text, timeWith, withExample } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { sessionSeconds } from '../../platform/security/session-token.ts'
import { count, nameText, plainText, time, uuid } from '../response-schemas.ts'

const exampleToken = '2JX0PbVyQ4nUq1mT8sKd7fHg3wZc6rEoLi9vNaYbB5M'
const tokenText = { minLength: 1, maxLength: 200, pattern: plainText }
const passwordText = { minLength: 1, maxLength: 1024, example: 'correct horse battery staple' }

/**
 * An email address in a request. The maximum length is higher than the limit for a new account
 * (254 characters), which is checked later. Longer texts are rejected before they are hashed for
 * rate limits.
 */
const email = text({
  minLength: 1,
  maxLength: 320,
  pattern: plainText,
  description: 'Not case-sensitive.',
  example: 'ada@example.com'
})
/** The rules are checked only when a password is set, so that existing passwords stay valid. */
const password = text(passwordText)
const newPassword = text({
  ...passwordText,
  description: 'From 8 to 200 characters. Must not be the email or a common password.'
})
const newName = orNull(
  text({ ...nameText, description: 'The display name of the user.', example: 'Ada' })
)
const cookieDescription = 'For browsers: returns the refresh token in a cookie instead of the body.'
const cookie = optional(boolean({ description: cookieDescription }))

function emailTokenWith(prefix: string) {
  const description = 'The token from the email. It can be used once.'
  return text({ ...tokenText, description, example: `${prefix}_${exampleToken}` })
}

export const registration = closed({
  email,
  password: newPassword,
  name: optional(newName),
  organization_name: optional(
    text({
      ...nameText,
      description: 'The name of the new organization. Required without an `invite_token`.',
      example: 'Example'
    })
  ),
  invite_token: optional(
    text({ ...tokenText, description: 'The token of an invite for this email address.' })
  ),
  create_key: optional(
    boolean({ description: 'Whether to create a first API key. Default: true.' })
  ),
  cookie: optional(boolean({ description: `Only with an invite. ${cookieDescription}` }))
})

export const confirmation = closed({
  token: emailTokenWith('slc'),
  password: text({ ...passwordText, description: 'The password that was registered.' }),
  cookie
})

export const login = closed({
  email,
  password,
  organization_id: optional(
    text({
      pattern: uuidPattern,
      description: 'An organization of the user. Default: the organization of the last session.'
    })
  ),
  invite_token: optional(
    text({
      ...tokenText,
      maxLength: 100,
      description:
        'The token of an invite for this email. The invite is accepted first, and the ' +
        'session acts for its organization. A user who is not a member of any ' +
        'organization needs one to log in.'
    })
  ),
  cookie
})

export const refresh = closed({
  refresh_token: optional(
    text({
      maxLength: 100,
      pattern: tokenPattern('slr'),
      examples: [`slr_${exampleToken}`],
      description: 'Omitted by browsers, which send it as a cookie.',
      example: `slr_${exampleToken}`
    })
  )
})

export const logout = closed({
  all: optional(
    boolean({ description: 'Whether to end all sessions of the user.', example: false })
  )
})

export const userChange = closed({ name: optional(newName) })

export const passwordChange = closed({
  current_password: withExample(password, 'my earlier password'),
  new_password: newPassword
})

export const forgottenPassword = closed({ email })

export const passwordReset = closed({ token: emailTokenWith('slp'), new_password: newPassword })

export const verification = closed({ token: emailTokenWith('sle') })

export const sessionParams = {
  session_id: text({
    pattern: uuidPattern,
    description: 'The `session_id` from `GET /v1/auth/sessions`.'
  })
}

const actingFor = text({
  format: 'uuid',
  description: 'The organization that the session acts for.'
})
const organization = objectOf({ id: uuid, name: text({ example: 'Example' }) })
/** Typed as a string, because the database may contain a role that this version does not know. */
const role = schemaFor<string>({ enum: userRoles })
const userEmail = text({ example: 'ada@example.com' })

/** The members that all responses with an access token share. */
export const accessTokenMembers = {
  access_token: text({
    description: 'JWT, signed with ES256; valid for 15 minutes.',
    example: 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJzbHVpY2UifQ.c2lnbmF0dXJl'
  }),
  token_type: schemaFor<'Bearer'>({ const: 'Bearer' }),
  expires_in: schemaFor<number>({
    const: sessionSeconds,
    description: 'Seconds until the access token expires.'
  })
}

const sessionMembers = {
  ...accessTokenMembers,
  organization_id: actingFor,
  refresh_token: optional(
    text({
      description:
        'For `POST /v1/auth/refresh`. It can be used once. Absent if a cookie was requested.',
      example: `slr_${exampleToken}`
    })
  )
}

export const session = objectOf(sessionMembers)

const user = objectOf({
  id: uuid,
  email: userEmail,
  name: orNull(text({ example: 'Ada' })),
  email_verified: boolean({
    description: 'Whether the user has proved that they receive emails at this address.'
  }),
  created_at: time
})
export type User = Static<typeof user>

const nextStep = objectOf({
  what: text({ example: 'Send a decision with the API key.' }),
  method: oneOf(['GET', 'POST'], { example: 'POST' }),
  path: text({ example: '/v1/ingest' }),
  credential: oneOf(['api_key', 'session', 'none'])
})
export type NextStep = Static<typeof nextStep>

const keyId = text({ example: 'Ab3dEf6hIj9k' })
const firstKey = orNull(
  objectOf({
    id: keyId,
    key: text({
      description: 'The whole key. It is not shown again.',
      example: 'slk_live_Ab3dEf6hIj9k_0123456789abcdefghijklmnopqrstuv3XkF0q'
    }),
    scopes: listOf(oneOf(apiKeyScopes))
  }),
  { description: 'The first API key. Null if none was requested, or with an invite.' }
)
export type FirstKey = Static<typeof firstKey>

export const openedAccount = objectOf({
  ...sessionMembers,
  user,
  organization,
  api_key: firstKey,
  next: listOf(nextStep, { description: 'Suggested next requests.' })
})

export const accepted = objectOf({ accepted: schemaFor<true>({ const: true }) })

export const sessionsEnded = objectOf({ sessions_ended: count })

export const ownSession = objectOf({
  session_id: uuid,
  organization_id: actingFor,
  created_at: time,
  last_used_at: timeWith({ description: 'The time of the last refresh, or of the login.' }),
  expires_at: timeWith({
    description: 'When the session expires unless it is refreshed.',
    example: '2026-03-02T12:00:00.000Z'
  }),
  ends_at: timeWith({
    description: 'When the session ends even if it is refreshed.',
    example: '2026-05-01T12:00:00.000Z'
  }),
  user_agent: orNull(text({ example: 'curl/8.5.0' })),
  address: orNull(text({ description: 'The IP address of the login.', example: '192.0.2.1' })),
  is_current: boolean({ description: 'Whether this session sent the request.' })
})

export const endedSession = objectOf({
  session_id: uuid,
  ended: schemaFor<true>({ const: true })
})

export const me = objectOf({
  user,
  organizations: listOf(objectOf({ ...organization.properties, role })),
  organization_id: actingFor,
  role,
  permissions: listOf(text({ example: 'read' }), {
    description: 'More permissions may be added in the future.'
  })
})

/** The example is an API key. */
export const credential = objectOf({
  kind: oneOf(['session', 'api_key'], { example: 'api_key' }),
  organization,
  user_id: optional(uuid),
  session_id: optional(uuid),
  role: optional(role),
  key_id: optional(keyId),
  name: optional(orNull(text({ description: 'The name of the key.', example: 'first' }))),
  scopes: optional(listOf(oneOf(apiKeyScopes), { example: ['ingest'] })),
  expires_at: orNull(
    timeWith({
      description:
        'For a key, the time when it expires; null for never. For a session, the time ' +
        'when it expires unless it is refreshed.'
    }),
    { example: null }
  )
})

export const emailState = objectOf({ email: userEmail, email_verified: boolean() })

export const signingKeys = objectOf({
  keys: listOf(
    objectOf({
      kty: schemaFor<string>({ const: 'EC' }),
      crv: schemaFor<string>({ const: 'P-256' }),
      x: text({ example: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU' }),
      y: text({ example: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' }),
      kid: text({
        description: 'The RFC 7638 thumbprint of the key.',
        example: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U'
      }),
      use: schemaFor<string>({ const: 'sig' }),
      alg: schemaFor<string>({ const: 'ES256' })
    })
  )
})
