/** Composes emails in plain text: registration, verification, password reset and invites. */
import type { Config } from '../../platform/config/config.ts'
import type { Email } from '../../platform/process/mail.ts'
import { inviteDays } from '../organization/invites/schemas.ts'

interface Recipient {
  readonly to: string
  readonly config: Config<'PUBLIC_URL' | 'CONSOLE_ENABLED'>
}

interface TokenEmail extends Recipient {
  readonly token: string
}

interface Parts {
  readonly subject: string
  readonly why: string
  readonly how: string
  readonly path: string
  /** The page of the console that takes the token. Default: none. */
  readonly page?: string
  readonly rest: string
}

const placeholder = 'https://your-sluice.example.com'

function baseOf({ PUBLIC_URL }: Recipient['config']): string {
  return (PUBLIC_URL ?? placeholder).replace(/\/+$/, '')
}

/** Returns the URL of a page of the console, or null if its address is unknown. */
function consoleUrl({ config }: Recipient, page: string): string | null {
  const isKnown = config.CONSOLE_ENABLED && config.PUBLIC_URL !== null
  return isKnown ? `${baseOf(config)}/console/${page}` : null
}

/**
 * Returns the lines with the token. If the address of the console is known, a link to the page
 * comes first, with the token after `#`: browsers do not send that part, so no server logs it. The
 * token is also on a short line of its own, so that mail encodings do not break it.
 */
function tokenLines(recipient: TokenEmail, page: string | undefined): string {
  const { token } = recipient
  const url = page === undefined ? null : consoleUrl(recipient, page)
  if (url === null) return `  ${token}`
  return `  ${url}#${token}\n\nor this token:\n\n  ${token}`
}

function writeEmail(recipient: TokenEmail, { subject, why, how, path, page, rest }: Parts): Email {
  const text = `${why}

${how}

${tokenLines(recipient, page)}

The token belongs in the body of
  POST ${baseOf(recipient.config)}${path}

${rest}
If you did not request this, ignore this email.
`
  return { to: recipient.to, subject, text }
}

export function registrationEmail(recipient: TokenEmail): Email {
  return writeEmail(recipient, {
    subject: 'Confirm your Sluice registration',
    why: 'This address was used to register at Sluice.',
    how: 'To confirm the registration, use this token within a day:',
    path: '/v1/auth/register/confirm',
    page: 'confirm-registration',
    rest:
      'Send {"token": "...", "password": "..."} as application/json. The password is the ' +
      'one that was chosen at registration; without it no account is created. If you did ' +
      'not register but want an account, register with your own password: you will get ' +
      'another email with a new token.'
  })
}

export function accountExistsEmail(recipient: Recipient): Email {
  const { to, config } = recipient
  const base = baseOf(config)
  const text = `This address was used to register at Sluice.

An account with this address already exists. To log in, use

  ${consoleUrl(recipient, '') ?? `POST ${base}/v1/auth/login`}

If you have forgotten the password, request an email that resets it:

  ${consoleUrl(recipient, 'forgot-password') ?? `POST ${base}/v1/auth/password/forgot`}

If you did not request this, ignore this email.
`
  return { to, subject: 'You already have a Sluice account', text }
}

export function verificationEmail(recipient: TokenEmail): Email {
  return writeEmail(recipient, {
    subject: 'Verify your email address for Sluice',
    why: 'A Sluice account was created with this address.',
    how: 'To verify the address, use this token within three days:',
    path: '/v1/auth/email/verify',
    page: 'verify-email',
    rest: 'Send {"token": "..."} as application/json. You do not have to be logged in.'
  })
}

export function resetEmail(recipient: TokenEmail): Email {
  return writeEmail(recipient, {
    subject: 'Reset your Sluice password',
    why: 'A password reset was requested for your Sluice account.',
    how: 'To set a new password within an hour, use:',
    path: '/v1/auth/password/reset',
    page: 'reset-password',
    rest: 'Send {"token": "...", "new_password": "..."} as application/json.'
  })
}

interface InviteEmail extends TokenEmail {
  readonly role: string
  /** Organization name. Untrusted, because its members chose it. */
  readonly organization: string
  /** Email address of the inviting member. */
  readonly from: string
}

const nameCharsMax = 60
/** Matches email addresses that mail programs do not display as links to a website. */
const plainEmail = /^(?!www\.)[\w.+-]+@[^/]+$/

export function inviteEmail(invite: InviteEmail): Email {
  const { to, role, config } = invite
  const from = plainEmail.test(invite.from) ? invite.from : withoutLinks(invite.from)
  const organization = `"${withoutLinks(invite.organization)}"`
  const base = config.PUBLIC_URL === null ? '' : baseOf(config)
  const text = `${from} invites you to ${organization} on Sluice, as ${role}.

To accept the invite, use:

${tokenLines(invite, 'accept-invite')}

It is only for this address, and is valid for ${inviteDays} days.

If you have an account, log in and POST {"token": "..."} to
${base}/v1/auth/invites/accept

If you have no account, POST it as "invite_token", with an email and a password, to
${base}/v1/auth/register

If you did not expect this invite, ignore this email.
`
  return { to, subject: `Your invite to ${organization}`, text }
}

/** Shortens untrusted text and breaks up anything that a mail program could display as a link. */
function withoutLinks(text: string): string {
  const chosen = text
    .normalize('NFKC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[.:/\\@。](?=\S)/gu, '$& ')
    .replaceAll('"', "'")
    .trim()
  const characters = [...chosen]
  if (characters.length <= nameCharsMax) return chosen
  return `${characters.slice(0, nameCharsMax).join('')}...`
}
