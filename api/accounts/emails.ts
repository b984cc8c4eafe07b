/** Composes emails in plain text: registration, verification, password reset and invites. */
import type { Email } from '../../platform/process/mail.ts'
import { inviteDays } from '../organization/invites/schemas.ts'

interface TokenEmail {
  readonly to: string
  readonly token: string
  /** Base URL of the API, or null if PUBLIC_URL is not set. */
  readonly publicUrl: string | null
}

const placeholder = 'https://your-sluice.example.com'

function baseOf(publicUrl: string | null): string {
  return (publicUrl ?? placeholder).replace(/\/+$/, '')
}

/** Puts the token on its own line. The text is ASCII, so mail encodings leave the token intact. */
function writeEmail(
  { to, token, publicUrl }: TokenEmail,
  { subject, why, how, path, rest }: Record<'subject' | 'why' | 'how' | 'path' | 'rest', string>
): Email {
  const text = `${why}

${how}

  ${token}

The token belongs in the body of
  POST ${baseOf(publicUrl)}${path}

${rest}
If you did not request this, ignore this email.
`
  return { to, subject, text }
}

export function registrationEmail(recipient: TokenEmail): Email {
  return writeEmail(recipient, {
    subject: 'Confirm your Sluice registration',
    why: 'This address was used to register at Sluice.',
    how: 'To confirm the registration, use this token within a day:',
    path: '/v1/auth/register/confirm',
    rest:
      'Send {"token": "...", "password": "..."} as application/json. The password is the ' +
      'one that was chosen at registration; without it no account is created. If you did ' +
      'not register but want an account, register with your own password: you will get ' +
      'another email with a new token.'
  })
}

export function accountExistsEmail({ to, publicUrl }: Omit<TokenEmail, 'token'>): Email {
  const base = baseOf(publicUrl)
  const text = `This address was used to register at Sluice.

An account with this address already exists. To log in, use

  POST ${base}/v1/auth/login

If you have forgotten the password, request an email that resets it:

  POST ${base}/v1/auth/password/forgot

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
    rest: 'Send {"token": "..."} as application/json. You do not have to be logged in.'
  })
}

export function resetEmail(recipient: TokenEmail): Email {
  return writeEmail(recipient, {
    subject: 'Reset your Sluice password',
    why: 'A password reset was requested for your Sluice account.',
    how: 'To set a new password, use this token within an hour:',
    path: '/v1/auth/password/reset',
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
  const { to, token, role, publicUrl } = invite
  const from = plainEmail.test(invite.from) ? invite.from : withoutLinks(invite.from)
  const organization = `"${withoutLinks(invite.organization)}"`
  const base = (publicUrl ?? '').replace(/\/$/, '')
  const text = `${from} invites you to ${organization} on Sluice, as ${role}.

The token of the invite is

  ${token}

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
