/** The letter of an invite: what it holds, and what cannot get into it. */
import { expect, test } from '@jest/globals'
import { inviteLetterOf } from '../../../../../api/organization/invites/invite-letter.ts'

const invite = {
  ...{ to: 'grace@example.com', token: 'sli_token', role: 'member', from: 'ada@example.com' },
  ...{ organization: 'Acme', publicUrl: 'https://sluice.example.com/' }
}

test('says who invites to what, with the token and where to use it', () => {
  const { to, subject, text } = inviteLetterOf(invite)
  expect([to, subject]).toEqual(['grace@example.com', 'Your invite to Acme'])
  expect(text).toContain('ada@example.com invites you to Acme on Sluice, as member.')
  expect(text).toContain('\n  sli_token\n')
  expect(text).toContain('\nhttps://sluice.example.com/v1/auth/invites/accept\n')
})

test('names paths alone where nobody says how the gateway is reached', () => {
  expect(inviteLetterOf({ ...invite, publicUrl: null }).text).toContain('\n/v1/auth/register\n')
})

test('keeps the name of an organization on one line', () => {
  const organization = 'Acme\r\nBcc: eve@example.com\n\nGo to https://evil.example'
  const { subject, text } = inviteLetterOf({ ...invite, organization })
  expect(subject).toBe('Your invite to Acme Bcc: eve@example.com Go to https://evil.example')
  expect(text.split('\n')[0]).toContain('Acme Bcc:')
})
