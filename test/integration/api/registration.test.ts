/** Tests registration over HTTP with a database, with a confirmation email or an invite. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { waitUntil } from '../../support/wait-until.ts'
import { confirm, countEmails, emailsTo, logIn, newEmail, password } from './account-scene.ts'
import { register, tokenOfEmail } from './account-scene.ts'
import type { ProblemBody } from './account-scene.ts'
import { createScene } from './scene.ts'
import type { Answer, Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

const refusedAt = ({ body }: Answer<unknown>): string[] =>
  ((body as ProblemBody).errors ?? []).map(({ pointer }) => pointer)
const codeOf = ({ body }: Answer<unknown>): string => (body as ProblemBody).code
const request = (more: Record<string, unknown>) =>
  scene.post('/v1/auth/register', {
    ...{ email: newEmail(), password, organization_name: 'Example' },
    ...more
  })

/** Returns the number of pending registrations of an email. */
async function rowsOf(email: string): Promise<unknown> {
  const [row] = await scene.database.query(
    `select count(*)::integer as rows from registrations where email = $1`,
    [email]
  )
  return row?.['rows']
}

describe('registering', () => {
  test('creates a user, an organization, a session and a key that can send decisions', async () => {
    const email = newEmail()
    const requested = await request({ email: ` ${email.toUpperCase()} `, name: 'Ada' })
    expect([requested.status, requested.text]).toEqual([202, '{"accepted":true}'])
    expect((await logIn(scene, email)).status).toBe(401)
    const { status, body } = await confirm(scene, await tokenOfEmail(scene, email))
    expect(status).toBe(201)
    expect(body).toMatchObject({
      user: { email, name: 'Ada', email_verified: true },
      organization: { id: body.organization_id, name: 'Example' },
      api_key: { key: expect.stringMatching(/^slk_live_/), scopes: ['ingest'] },
      token_type: 'Bearer',
      expires_in: 900
    })
    const { body: me } = await scene.get('/v1/auth/me', body.access_token)
    expect(me).toMatchObject({
      user: body.user,
      organizations: [{ id: body.organization_id, name: 'Example', role: 'owner' }],
      role: 'owner'
    })
    const keys = await scene.database.query(
      `select key_id, scopes, created_by from api_keys where organization_id = $1`,
      [body.organization_id]
    )
    const created = { key_id: body.api_key?.id, scopes: ['ingest'], created_by: body.user.id }
    expect(keys).toEqual([created])
    expect((await logIn(scene, email)).body.organization_id).toBe(body.organization_id)
  })

  test('creates no key on request', async () => {
    const { body } = await register(scene, { create_key: false })
    expect(body.api_key).toBeNull()
    expect(body.next.map(({ path }) => path)).not.toContain('/v1/ingest')
  })

  test('responds alike for an email with an account, and notifies only its owner', async () => {
    const { body } = await register(scene)
    const [there, nowhere] = [body.user.email, newEmail()]
    const answers = []
    for (const email of [there, nowhere]) answers.push(await request({ email }))
    const [known, unknown] = answers.map(({ status, headers, text }) => {
      const own = { date: '', 'x-request-id': '' }
      return { status, text, headers: { ...Object.fromEntries(headers), ...own } }
    })
    expect(known).toEqual(unknown)
    expect(await rowsOf(there)).toBe(await rowsOf(nowhere))
    await waitUntil('both emails', async () => {
      return (await countEmails(scene, there)) === 2 && (await countEmails(scene, nowhere)) === 1
    })
    const content = (await emailsTo(scene, there))[1]?.text ?? ''
    expect(content).toContain('An account with this address already exists')
    expect(content).not.toMatch(/sl[a-z]_/)
  })

  test('creates one account for one email, and one session for one token', async () => {
    const email = newEmail()
    await Promise.all([request({ email }), request({ email })])
    const [first, second] = [await tokenOfEmail(scene, email), await tokenOfEmail(scene, email, 2)]
    const answers = await Promise.all(
      [first, first, second, second].map((each) => confirm(scene, each))
    )
    expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1)
    for (const token of [first, second]) {
      expect(['token_invalid', 'email_taken']).toContain(codeOf(await confirm(scene, token)))
    }
  })

  test('expires after a day, and stores no plain password', async () => {
    const email = newEmail()
    await request({ email })
    const token = await tokenOfEmail(scene, email)
    const rows = await scene.database.query(
      `update registrations set expires_at = expires_at - interval '1 day'
        where email = $1 returning registrations::text as row, expires_at > now() as is_open`,
      [email]
    )
    expect(rows).toEqual([{ row: expect.not.stringContaining(password), is_open: false }])
    expect(codeOf(await confirm(scene, token))).toBe('token_invalid')
    expect(codeOf(await confirm(scene, `slc_${'x'.repeat(43)}`))).toBe('token_invalid')
  })

  test('sends 5 emails to one address in 15 minutes, not counting password resets', async () => {
    const email = newEmail()
    const statuses = []
    for (let time = 0; time < 6; time++) statuses.push((await request({ email })).status)
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429])
    expect((await scene.post('/v1/auth/password/forgot', { email })).status).toBe(202)
  })

  test.each([
    [{ email: 'ada' }, ['/email']],
    [{ email: 'ada@localdomain@example.com' }, ['/email']],
    [{ email: `${'a'.repeat(250)}@example.com` }, ['/email']],
    [{ email: 'ada@exa\nmple.com' }, ['/email']],
    [{ password: 'short' }, ['/password']],
    [{ password: 'password' }, ['/password']],
    [{ password: 'x'.repeat(201) }, ['/password']],
    [{ email: 'ada.lovelace@example.com', password: 'ada.lovelace@example.com' }, ['/password']],
    [{ email: 'ada', password: 'short' }, ['/email', '/password']],
    [{ organization_name: '  ' }, ['/organization_name']],
    [{ organization_name: undefined }, ['/organization_name']],
    [{ organization_name: 'x'.repeat(101) }, ['/organization_name']],
    [{ name: 'a\u0000' }, ['/name']],
    [{ name: 'a\u202eb' }, ['/name']],
    [{ organization_name: 'see https://evil.example' }, ['/organization_name']],
    [{ name: '\ud800' }, ['/name']],
    [{ admin: true }, ['/admin']]
  ])('is rejected with %j', async (more, pointers) => {
    const answer = await request(more)
    expect([answer.status, codeOf(answer)]).toEqual([422, 'invalid_body'])
    expect(refusedAt(answer)).toEqual(pointers)
  })

  test('is rejected if registration is closed, and can require an invite', async () => {
    const body = { email: newEmail(), password, organization_name: 'Example' }
    const codes: unknown[] = []
    for (const REGISTRATION of ['closed', 'invite']) {
      const url = await scene.serveAnother({ REGISTRATION })
      for (const invite of [{}, { invite_token: 'sli_unknown' }]) {
        const answer = await fetch(`${url}/v1/auth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...body, ...invite })
        })
        codes.push([answer.status, ((await answer.json()) as ProblemBody).code])
      }
    }
    const closed = [403, 'registration_closed']
    expect(codes).toEqual([closed, closed, closed, [422, 'token_invalid']])
  })

  test('joins the organization of an invite with its role, and creates none', async () => {
    const { body: host } = await register(scene)
    const email = newEmail()
    const token = `sli_${randomUUID()}`
    await scene.database.query(
      `insert into invites (organization_id, invite_id, email, role, token_digest, invited_by,
                            expires_at)
       values ($1, gen_random_uuid(), $2, 'viewer', sha256($3::text::bytea), $4,
               now() + interval '1 day')`,
      [host.organization_id, email, token, host.user.id]
    )
    const stranger = await request({ invite_token: token })
    expect([stranger.status, codeOf(stranger)]).toEqual([422, 'token_invalid'])
    const taken = { email: host.user.email, invite_token: token }
    expect(codeOf(await request(taken))).toBe('token_invalid')
    const { status, body } = await register(scene, { email, invite_token: token })
    expect([status, body.organization.id, body.api_key]).toEqual([201, host.organization_id, null])
    expect(body.user.email_verified).toBe(false)
    expect(body.next.map(({ path }) => path)).toContain('/v1/auth/email/verify')
    const { body: me } = await scene.get('/v1/auth/me', body.access_token)
    expect(me).toMatchObject({ role: 'viewer', permissions: ['read'] })
    expect(me['organizations']).toHaveLength(1)
  })
})
