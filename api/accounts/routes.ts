/** Routes for accounts, sessions and passwords. */
import { normalizeEmail } from '../../core/account-rules.ts'
import { Problem } from '../../core/problem.ts'
import { anyone, session, sessionOrKey } from '../../http/typed-route.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import { auditOriginOf, recordAudit } from '../organization/record-audit.ts'
import { listPage, pageOf, pageQuery } from '../page.ts'
import { routesOf } from '../services.ts'
import { issueEmailToken, markVerified, registrationHours, useEmailToken } from './email-tokens.ts'
import { resetEmail, verificationEmail } from './emails.ts'
import { login } from './login.ts'
import { readCredential, readMe, readOwnSessions, readUser } from './queries.ts'
import { changePassword, resetPassword } from './passwords.ts'
import { raceSeconds, refresh } from './refresh.ts'
import { confirmRegistration, register } from './register.ts'
import * as schemas from './schemas.ts'
import { isOverTls, revokeSessions, withRefreshCookie } from './sessions.ts'
import { confirmationLimit, loginsLimit, refreshDayLimit, refreshLimit } from './throttle.ts'

const route = routesOf('auth')
/** Problems of the rate-limited routes that do not require a session. */
const limitedProblems = ['login_throttled', 'store_unavailable'] as const

const sessionHeaders = {
  'Set-Cookie': 'The refresh token, if it is kept in a cookie: HttpOnly, SameSite=Strict.'
}
const me = {
  description:
    'The user, all their organizations, and their permissions in the current organization.',
  schema: schemas.me
}

export const accountRoutes = [
  route({
    method: 'post',
    path: '/v1/auth/register',
    who: anyone,
    id: 'register',
    summary: 'Register',
    description:
      'Sends an email with a token that confirms the registration. If an account has the ' +
      'email address already, the email says so instead, and the response is the same. With ' +
      'an `invite_token`, creates the account in the organization that sent the invite, and ' +
      'begins a session. In 15 minutes, a network address can send 50 of these requests, and ' +
      'an email address receives at most 5 of these emails for requests from one network, and ' +
      '20 in total.',
    body: schemas.registration,
    answers: {
      201: {
        description: 'With an invite: the account and a session.',
        headers: sessionHeaders,
        schema: schemas.openedAccount
      },
      202: {
        description:
          `Accepted. Confirm the registration within ${registrationHours} hours, with the token ` +
          'from the email.',
        schema: schemas.accepted
      }
    },
    problems: ['registration_closed', 'email_taken', 'token_invalid', ...limitedProblems],
    handle: register
  }),
  route({
    method: 'post',
    path: '/v1/auth/register/confirm',
    who: anyone,
    id: 'confirmRegistration',
    summary: 'Confirm a registration',
    description:
      'Creates the account: an organization, a first API key that can send decisions, and a ' +
      'session. Requires the token from the email and the password that was registered. The ' +
      'email address is then verified. A wrong password does not use up the token; a token ' +
      `accepts at most ${confirmationLimit.points} wrong passwords.`,
    body: schemas.confirmation,
    answers: {
      201: {
        description: 'The account was created. The API key works immediately.',
        headers: sessionHeaders,
        schema: schemas.openedAccount
      }
    },
    problems: [
      'login_failed',
      'registration_closed',
      'email_taken',
      'token_invalid',
      ...limitedProblems
    ],
    handle: confirmRegistration
  }),
  route({
    method: 'post',
    path: '/v1/auth/login',
    who: anyone,
    id: 'login',
    summary: 'Log in',
    description:
      'Begins a session. A wrong password and an unknown email get the same response. In 15 ' +
      'minutes, a network address can fail 10 times for one account and 50 times in total. ' +
      'After 100 failures for an account from all addresses, only addresses from which it has ' +
      'logged in within the last 90 days can log in. Successful logins do not count as ' +
      `failures; an account can log in ${loginsLimit.points} times in 15 minutes.`,
    body: schemas.login,
    answers: {
      200: {
        description:
          'The session expires 30 days after its last refresh, and at the latest 90 days after ' +
          'the login.',
        headers: sessionHeaders,
        schema: schemas.session
      }
    },
    problems: [
      'login_failed',
      'organization_not_found',
      'token_invalid',
      'already_member',
      ...limitedProblems
    ],
    handle: login
  }),
  route({
    method: 'post',
    path: '/v1/auth/refresh',
    who: anyone,
    id: 'refreshSession',
    summary: 'Refresh a session',
    description:
      'Returns a new access token and a refresh token that replaces the one in the request. A ' +
      `refresh token can be used once; within ${raceSeconds} seconds the same request gets ` +
      'the same response again. Any later use counts as theft and ends the session. A browser ' +
      `sends \`{}\` and its cookie. A session gets at most ${refreshLimit.points} refresh ` +
      `tokens in a minute and ${refreshDayLimit.points} in a day.`,
    body: schemas.refresh,
    answers: {
      200: {
        description: 'The session is extended by 30 days, up to 90 days after the login.',
        headers: sessionHeaders,
        schema: schemas.session
      }
    },
    problems: ['refresh_invalid', 'refresh_reused', ...limitedProblems],
    handle: refresh
  }),
  route({
    method: 'post',
    path: '/v1/auth/logout',
    who: session,
    id: 'logout',
    summary: 'Log out',
    description:
      'Ends this session, or all sessions of the user. Their tokens are rejected within five ' +
      'seconds. The cookie of a browser is removed.',
    body: schemas.logout,
    answers: {
      200: {
        description: 'The sessions have ended.',
        headers: { 'Set-Cookie': 'Removes the refresh token.' },
        schema: schemas.sessionsEnded
      }
    },
    share: 'account calls',
    handle: async (call, { store, liveSessions, config }) => {
      const { user_id, session_id } = call.principal
      const only = call.body.all === true ? null : session_id
      const sessions_ended = await store.accounts.change(async (transaction) => {
        const sessions = await revokeSessions(transaction, user_id, { reason: 'logout', only })
        await recordAudit(transaction, auditOriginOf(call), {
          action: 'session.ended',
          id: session_id,
          details: { reason: 'logout', sessions }
        })
        return sessions
      })
      liveSessions.forget(user_id)
      return withRefreshCookie(
        call.reply(200, { sessions_ended }),
        isOverTls(config, call.headers),
        null
      )
    }
  }),
  route({
    method: 'get',
    path: '/v1/auth/sessions',
    who: session,
    id: 'listOwnSessions',
    summary: 'List sessions',
    description: 'Lists the live sessions of the user in all organizations, oldest first.',
    query: pageQuery('entries'),
    answers: { 200: { description: 'A page of sessions.', schema: pageOf(schemas.ownSession) } },
    problems: ['invalid_query'],
    share: 'account calls',
    handle: async (call, { store }) => {
      const sessions = await readOwnSessions(store.accounts, call.principal)
      return call.reply(200, listPage(sessions, call.query, 'session_id'))
    }
  }),
  route({
    method: 'delete',
    path: '/v1/auth/sessions/:session_id',
    who: session,
    id: 'endSession',
    summary: 'Revoke a session',
    description: 'Ends one session of the user. Its tokens are rejected within five seconds.',
    params: schemas.sessionParams,
    answers: { 200: { description: 'The session has ended.', schema: schemas.endedSession } },
    problems: ['session_not_found'],
    share: 'account calls',
    handle: async (call, { store, liveSessions }) => {
      const { user_id } = call.principal
      const only = call.params.session_id.toLowerCase()
      await store.accounts.change(async (transaction) => {
        const ended = await revokeSessions(transaction, user_id, { reason: 'user', only })
        if (ended === 0) {
          const detail = `You have no live session with the id ${only}.`
          throw new Problem('session_not_found', { detail })
        }
        await recordAudit(transaction, auditOriginOf(call), {
          action: 'session.ended',
          id: only,
          details: { reason: 'user', sessions: 1 }
        })
      })
      liveSessions.forget(user_id)
      return call.reply(200, { session_id: only, ended: true })
    }
  }),
  route({
    method: 'get',
    path: '/v1/auth/me',
    who: session,
    id: 'showMe',
    summary: 'Get the current user',
    description: 'Returns the user of the session.',
    answers: { 200: me },
    share: 'account calls',
    handle: async ({ principal, reply }, { store }) =>
      reply(200, await readMe(store.accounts, principal))
  }),
  route({
    method: 'patch',
    path: '/v1/auth/me',
    who: session,
    id: 'changeMe',
    summary: 'Update the current user',
    description: 'Fields that you leave out keep their values.',
    body: schemas.userChange,
    answers: { 200: me },
    share: 'account calls',
    handle: async ({ principal, body: { name }, reply }, { store: { accounts } }) => {
      if (name !== undefined) {
        const rename = sql`update users set name = ${name} where user_id = ${principal.user_id}`
        await accounts.change((transaction) => query(transaction, rename))
      }
      return reply(200, await readMe(accounts, principal))
    }
  }),
  route({
    method: 'get',
    path: '/v1/auth/whoami',
    who: sessionOrKey(null),
    id: 'whoami',
    summary: 'Get the current credential',
    description:
      'Returns the owner and the permissions of the session or API key that sent the request. ' +
      'A key needs no particular scope.',
    answers: {
      200: {
        description: 'The field `kind` determines which of the other fields are present.',
        schema: schemas.credential
      }
    },
    share: 'account calls',
    handle: async ({ principal, reply }, { store }) =>
      reply(200, await readCredential(store.accounts, principal))
  }),
  route({
    method: 'put',
    path: '/v1/auth/password',
    who: session,
    id: 'changePassword',
    summary: 'Update your password',
    description:
      'Changes the password and ends all other sessions of the user. A wrong current password ' +
      'counts as a failed login.',
    body: schemas.passwordChange,
    answers: { 200: { description: 'The password was changed.', schema: schemas.sessionsEnded } },
    problems: ['login_throttled'],
    share: 'account calls',
    handle: async (call, services) =>
      call.reply(200, { sessions_ended: await changePassword(call, services) })
  }),
  route({
    method: 'post',
    path: '/v1/auth/password/forgot',
    who: anyone,
    id: 'forgotPassword',
    summary: 'Send a password reset email',
    description:
      'Sends an email with a reset token if an account has the address. The response is the ' +
      'same either way. In 15 minutes, an email address receives at most 5 of these emails ' +
      'for requests from one network, and 20 in total.',
    body: schemas.forgottenPassword,
    answers: {
      202: {
        description: 'Accepted. The email is sent if an account has the address.',
        schema: schemas.accepted
      }
    },
    problems: limitedProblems,
    /** Runs the same statements and returns the same response whether or not the account exists. */
    handle: async ({ body, remote_address, reply }, { store, throttle, mail, config }) => {
      const email = normalizeEmail(body.email)
      await throttle.email({ email, remoteAddress: remote_address }, 'account')
      const token = await store.accounts.change((transaction) =>
        issueEmailToken(transaction, 'reset_password', email)
      )
      if (token !== null) mail.send(resetEmail({ to: email, token, config }))
      return reply(202, { accepted: true })
    }
  }),
  route({
    method: 'post',
    path: '/v1/auth/password/reset',
    who: anyone,
    id: 'resetPassword',
    summary: 'Set a new password',
    description:
      'Sets a new password with the token from the email. Ends all sessions of the user.',
    body: schemas.passwordReset,
    answers: {
      200: {
        description: 'The password was changed. Log in with the new password.',
        schema: schemas.sessionsEnded
      }
    },
    problems: ['token_invalid', ...limitedProblems],
    handle: async (call, services) =>
      call.reply(200, { sessions_ended: await resetPassword(call, services) })
  }),
  route({
    method: 'post',
    path: '/v1/auth/email/verify',
    who: anyone,
    id: 'verifyEmail',
    summary: 'Verify an email address',
    description: 'Verifies the address with the token from the email that was sent to it.',
    body: schemas.verification,
    answers: { 200: { description: 'The address is verified.', schema: schemas.emailState } },
    problems: ['token_invalid', ...limitedProblems],
    handle: async ({ body, remote_address, reply }, { store, throttle }) => {
      await throttle.fromAddress(remote_address)
      const email = await store.accounts.change(async (transaction) => {
        const holder = await useEmailToken(transaction, 'verify_email', body.token)
        await markVerified(transaction, holder.user_id)
        return holder.email
      })
      return reply(200, { email, email_verified: true })
    }
  }),
  route({
    method: 'post',
    path: '/v1/auth/email/verification',
    who: session,
    id: 'sendVerification',
    summary: 'Send a verification email',
    description:
      'Sends an email with a token to verify the address of the user, unless it is already ' +
      'verified. The token of an earlier email becomes invalid. In 15 minutes, an email ' +
      'address receives at most 5 of these emails for requests from one network, and 20 in ' +
      'total.',
    answers: {
      202: {
        description: 'Accepted. The email is sent unless the address is already verified.',
        schema: schemas.emailState
      }
    },
    problems: ['login_throttled'],
    share: 'account calls',
    handle: async ({ principal, remote_address, reply }, { store, throttle, mail, config }) => {
      const { email, email_verified } = await readUser(store.accounts, principal.user_id)
      if (!email_verified) {
        await throttle.email({ email, remoteAddress: remote_address }, 'account')
        const token = await store.accounts.change((transaction) =>
          issueEmailToken(transaction, 'verify_email', email)
        )
        if (token !== null) mail.send(verificationEmail({ to: email, token, config }))
      }
      return reply(202, { email, email_verified })
    }
  }),
  route({
    method: 'get',
    path: '/v1/auth/.well-known/jwks.json',
    who: anyone,
    id: 'showSigningKeys',
    summary: 'Get the signing keys',
    description:
      'Returns the JSON Web Key Set for verifying access tokens: the current key first, then ' +
      'earlier keys that are still valid.',
    answers: {
      200: { description: 'Public keys in the format of RFC 7517.', schema: schemas.signingKeys }
    },
    handle: async ({ reply }, { sessionTokens }) => reply(200, { keys: sessionTokens.publicKeys })
  })
]
