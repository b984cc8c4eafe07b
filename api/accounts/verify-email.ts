/** POST /v1/auth/email/verify and /v1/auth/email/verification: whether letters reach a person. */
import type { Mail } from '../../platform/process/mail.ts'
import { jsonReply } from '../../http/call.ts'
import type { PublicHandle, SessionHandle } from '../../http/route.ts'
import type { AccountStore } from '../store.ts'
import { issueEmailToken, useEmailToken } from './email-tokens.ts'
import { verificationLetter } from './letters.ts'
import { readPerson } from './person.ts'
import type { Throttle } from './throttle.ts'

export interface VerifyEmailDependencies {
  readonly accounts: AccountStore
  readonly publicUrl: string | null
  readonly throttle: Pick<Throttle, 'fromAddress' | 'letter'>
  readonly mail: Pick<Mail, 'send'>
}

export function createVerifyEmail(dependencies: VerifyEmailDependencies) {
  const { accounts, publicUrl, throttle, mail } = dependencies

  const verifyEmail: PublicHandle = async ({ body, remote_address }) => {
    const { token } = body as { token: string }
    await throttle.fromAddress(remote_address)
    const email = await accounts.change(async (transaction) => {
      const holder = await useEmailToken(transaction, 'verify_email', token)
      await transaction.query(
        `update users set email_verified_at = coalesce(email_verified_at, now())
          where user_id = $1`,
        [holder.user_id]
      )
      return holder.email
    })
    return jsonReply(200, JSON.stringify({ email, email_verified: true }))
  }

  const sendVerification: SessionHandle = async ({ principal, remote_address: remoteAddress }) => {
    const { email, email_verified } = await readPerson(accounts, principal.user_id)
    if (!email_verified) {
      await throttle.letter({ email, remoteAddress }, 'account')
      const token = await accounts.change((transaction) =>
        issueEmailToken(transaction, 'verify_email', email)
      )
      if (token !== null) mail.send(verificationLetter({ to: email, token, publicUrl }))
    }
    return jsonReply(202, JSON.stringify({ email, email_verified }))
  }

  return { verifyEmail, sendVerification }
}
