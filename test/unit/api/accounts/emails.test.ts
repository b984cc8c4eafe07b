/** Tests that emails contain their tokens and the links of the console, and that the name of an
 * organization cannot add a link.
 */
import { expect, test } from '@jest/globals'
import {
  accountExistsEmail,
  inviteEmail,
  registrationEmail
} from '../../../../api/accounts/emails.ts'
import { resetEmail, verificationEmail } from '../../../../api/accounts/emails.ts'

const config = { PUBLIC_URL: 'https://sluice.example.com/', CONSOLE_ENABLED: false }
const invite = {
  ...{ to: 'grace@example.com', token: 'sli_token', role: 'member', from: 'ada@example.com' },
  ...{ organization: 'Acme', config }
}

test('names the inviter and the organization, the token and where to use it', () => {
  const { to, subject, text } = inviteEmail(invite)
  expect([to, subject]).toEqual(['grace@example.com', 'Your invite to "Acme"'])
  expect(text).toContain('ada@example.com invites you to "Acme" on Sluice, as member.')
  expect(text).toContain('\n  sli_token\n')
  expect(text).toContain('\nhttps://sluice.example.com/v1/auth/invites/accept\n')
})

test('contains only paths without a public URL', () => {
  const nowhere = { PUBLIC_URL: null, CONSOLE_ENABLED: true }
  const { text } = inviteEmail({ ...invite, config: nowhere })
  expect(text).toContain('\n/v1/auth/register\n')
  expect(text).toContain('\n  sli_token\n')
})

test('links to the console if it is served, with the token after #', () => {
  const served = { PUBLIC_URL: 'https://sluice.example.com/', CONSOLE_ENABLED: true }
  const to = { to: 'ada@example.com', token: 'slp_token', config: served }
  const base = 'https://sluice.example.com/console'
  expect(inviteEmail({ ...invite, config: served }).text).toContain(
    `\n  ${base}/accept-invite#sli_token\n\nor this token:\n\n  sli_token\n`
  )
  expect(resetEmail(to).text).toContain(`\n  ${base}/reset-password#slp_token\n`)
  expect(registrationEmail(to).text).toContain(`\n  ${base}/confirm-registration#slp_token\n`)
  expect(verificationEmail(to).text).toContain(`\n  ${base}/verify-email#slp_token\n`)
  expect(accountExistsEmail(to).text).toContain(`\n  ${base}/forgot-password\n`)
  expect(accountExistsEmail({ ...to, config }).text).toContain('/v1/auth/password/forgot\n')
})

test('keeps the name of an organization on one line', () => {
  const organization = 'Acme\r\nBcc: eve\n\nand more'
  const { subject, text } = inviteEmail({ ...invite, organization })
  expect(subject).toBe('Your invite to "Acme Bcc: eve and more"')
  expect(text.split('\n')[0]).toContain('"Acme Bcc: eve and more"')
})

test.each([
  ['Your account is locked: https://evil.example/a', 'locked: https: / / evil. example/ a"'],
  ['www.evil.example', '"www. evil. example"'],
  ['evil。example', '"evil。 example"'],
  ['eve＠evil．example', '"eve@ evil. example"'],
  ['Acme" <b>', `"Acme' <b>"`],
  ['A\u202ecm\u200be', '"A cm e"'],
  ['Node.js, Inc.', '"Node. js, Inc."'],
  ['x'.repeat(100), `"${'x'.repeat(60)}..."`]
])('breaks links in a stored name: %j', (organization, shown) => {
  const { subject, text } = inviteEmail({ ...invite, organization })
  expect(subject).toContain(shown)
  expect(text.split('\n')[0]).toContain(shown)
})

test.each([
  ['o.hara+x@example.co.uk', 'o.hara+x@example.co.uk invites'],
  ['www.evil.example/login@example.com', 'www. evil. example/ login@ example. com invites']
])('names the inviter, and breaks links in the address: %s', (from, shown) => {
  expect(inviteEmail({ ...invite, from }).text).toMatch(shown)
})
