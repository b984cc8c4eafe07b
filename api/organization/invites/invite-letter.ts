/** The letter that an invite is sent with. */
import type { Letter } from '../../../platform/process/mail.ts'
import { inviteDays } from './invite-rows.ts'

export interface InviteLetter {
  readonly to: string
  readonly token: string
  readonly role: string
  /** Its name, which somebody chose. */
  readonly organization: string
  /** Email of who invites. */
  readonly from: string
  /** Where the gateway is reached; null where that is not said. */
  readonly publicUrl: string | null
}

const nameCharsMax = 60
/** Nothing before its `@` is taken for a link. */
const plainEmail = /^(?!www\.)[\w.+-]+@[^/]+$/

export function inviteLetterOf(invite: InviteLetter): Letter {
  const { to, token, role, publicUrl } = invite
  const from = plainEmail.test(invite.from) ? invite.from : harmless(invite.from)
  const organization = `"${harmless(invite.organization)}"`
  const base = (publicUrl ?? '').replace(/\/$/, '')
  const text = `${from} invites you to ${organization} on Sluice, as ${role}.

The token of the invite is

  ${token}

It is for this address alone, and good for ${inviteDays} days.

If you have an account, log in and post {"token": "..."} to
${base}/v1/auth/invites/accept

If you have none, post it as "invite_token", with an email and a password, to
${base}/v1/auth/register

If you do not know why you got this letter, nothing happens when you throw it away.
`
  return { to, subject: `Your invite to ${organization}`, text }
}

/** Somebody else chose it: it is cut short, and no mail program makes a link of it. */
function harmless(text: string): string {
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
