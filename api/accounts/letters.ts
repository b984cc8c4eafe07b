/** Letters with a token: what it is for and how it is used, in plain text. */
import type { Letter } from '../../platform/process/mail.ts'

export interface TokenLetter {
  readonly to: string
  readonly token: string
  /** Where this API is reached from outside; null where nobody said. */
  readonly publicUrl: string | null
}

const placeholder = 'https://your-sluice.example.com'

function baseOf(publicUrl: string | null): string {
  return (publicUrl ?? placeholder).replace(/\/+$/, '')
}

/** The token stands on a line of its own, and all is ASCII: so nothing is encoded or broken. */
function write(
  { to, token, publicUrl }: TokenLetter,
  { subject, why, how, path, rest }: Record<'subject' | 'why' | 'how' | 'path' | 'rest', string>
): Letter {
  const base = baseOf(publicUrl)
  const lines = [
    ...[why, '', how, '', `  ${token}`, ''],
    ...['It is the "token" in the body of', `  POST ${base}${path}`, ''],
    ...[rest, 'Did you not ask for it? Then there is nothing to do.', '']
  ]
  return { to, subject, text: lines.join('\n') }
}

export function registrationLetter(letter: TokenLetter): Letter {
  return write(letter, {
    subject: 'Confirm your registration at Sluice',
    why: 'Somebody began to register at Sluice with this address.',
    how: 'If it was you, confirm the registration with this token, within a day:',
    path: '/v1/auth/register/confirm',
    rest:
      'Send {"token": "...", "password": "..."} as application/json. The password is the one ' +
      'that was chosen for the registration; without it there will be no account. If you did ' +
      'not register but want an account, register with a password of your own: another email ' +
      'brings its token.'
  })
}

export function takenLetter({ to, publicUrl }: Omit<TokenLetter, 'token'>): Letter {
  const base = baseOf(publicUrl)
  const lines = [
    ...['Somebody began to register at Sluice with this address.', ''],
    ...['If it was you: there is an account with this address already. To log in, use', ''],
    ...[`  POST ${base}/v1/auth/login`, ''],
    ...['If you have forgotten the password, ask for an email that resets it:', ''],
    ...[`  POST ${base}/v1/auth/password/forgot`, ''],
    ...['Was it not you? Then there is nothing to do.', '']
  ]
  return { to, subject: 'You have an account at Sluice', text: lines.join('\n') }
}

export function verificationLetter(letter: TokenLetter): Letter {
  return write(letter, {
    subject: 'Is this your address?',
    why: 'Somebody registered at Sluice with this address.',
    how: 'If it was you, say so with this token, within three days:',
    path: '/v1/auth/email/verify',
    rest: 'Send {"token": "..."} as application/json; you need not be logged in.'
  })
}

export function resetLetter(letter: TokenLetter): Letter {
  return write(letter, {
    subject: 'A new password for Sluice',
    why: 'Somebody asked to set a new password for your account at Sluice.',
    how: 'If it was you, set one with this token, within an hour:',
    path: '/v1/auth/password/reset',
    rest: 'Send {"token": "...", "new_password": "..."} as application/json.'
  })
}
