/** Tests webhooks over HTTP with a database and a receiver on real sockets: secrets, validation,
 * test messages and deliveries.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Webhook as Verifier } from 'standardwebhooks'
import { webhooksMax } from '../../../api/webhooks/routes.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { startWebhookReceiver, status } from '../../support/webhook-receiver.ts'
import type { WebhookReceiver } from '../../support/webhook-receiver.ts'
import { createScene } from './scene.ts'
import type { Scene, Sending } from './scene.ts'

const path = '/v1/evaluation/webhooks'
const threshold = { score: 'polite', metric: 'pass_rate', operator: 'below', value: 0.9 }

interface Webhook extends Record<string, unknown> {
  readonly webhook_id: string
  readonly secret: string
}

interface ProblemBody {
  readonly code: string
  readonly errors?: readonly { readonly pointer: string }[]
}

interface Page {
  readonly data: readonly { readonly delivery_id: string }[]
  readonly meta: { readonly next_cursor: string | null }
}

let scene: Scene
let receiver: WebhookReceiver

beforeAll(async () => {
  scene = await createScene()
  receiver = await startWebhookReceiver()
})

const unusedName = (): string => `webhook ${randomUUID()}`

function bodyOf(members: object = {}): object {
  const url = `${receiver.url}/${randomUUID()}`
  return { name: unusedName(), url, events: ['evaluation.completed'], ...members }
}

async function make(members: object = {}, as: Partial<Sending> = {}): Promise<Webhook> {
  const made = await scene.send<Webhook>({ method: 'POST', path, body: bodyOf(members), ...as })
  expect([made.status, made.text]).toEqual([201, expect.any(String)])
  return made.body
}

type Call = readonly [method: Sending['method'], below?: string, body?: unknown]

async function call<Body = Record<string, unknown>>(
  { webhook_id }: Pick<Webhook, 'webhook_id'>,
  [method, below = '', body]: Call
) {
  return await scene.send<Body>({ method, path: `${path}/${webhook_id}${below}`, body })
}

describe('a webhook', () => {
  test('is created with a secret shown once, listed, read, updated and deleted', async () => {
    const { secret, ...made } = await make()
    expect(made).toMatchObject({
      webhook_id: expect.stringMatching(/^whk_[0-9a-f]{32}$/),
      ...{ events: ['evaluation.completed'], threshold: null, enabled: true, state: null },
      ...{ disabled_reason: null, failures_in_row: 0 }
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/=]{44}$/)
    expect((await call(made, ['GET'])).body).toEqual(made)
    const { body: list } = await scene.get<{ data: Webhook[] }>(path)
    expect(list.data).toContainEqual(made)

    const events = ['threshold.crossed']
    const changed = await call(made, ['PATCH', '', { events, threshold }])
    expect(changed.body).toMatchObject({
      ...{ name: made['name'], events, state: 'ok' },
      threshold: {
        ...{ ...threshold, evaluator_id: null, agent_id: null, domain: null },
        ...{ window_minutes: 60, min_n: 20, recovery_value: expect.closeTo(0.95, 9) }
      }
    })
    expect((await call(made, ['DELETE'])).body).toEqual({
      ...{ webhook_id: made.webhook_id, deleted: true }
    })
    expect((await call<ProblemBody>(made, ['GET'])).body.code).toBe('webhook_not_found')
  })

  test('stores its secret encrypted', async () => {
    const { webhook_id, secret } = await make()
    const [row] = await scene.database.query<{ secret_sealed: Buffer }>(
      `select secret_sealed from webhooks where webhook_id = $1`,
      [webhook_id]
    )
    expect(row?.secret_sealed.includes(secret.slice('whsec_'.length))).toBe(false)
  })

  test('shows why it is disabled, and resets its failures when it is enabled', async () => {
    const made = await make()
    const off = await call(made, ['PATCH', '', { enabled: false }])
    expect(off.body).toMatchObject({ enabled: false, disabled_reason: 'user' })
    await scene.database.query(
      `update webhooks set failures_in_row = 20, disabled_reason = 'failing'
        where webhook_id = $1`,
      [made.webhook_id]
    )
    const renamed = await call(made, ['PATCH', '', { name: unusedName() }])
    expect(renamed.body).toMatchObject({ disabled_reason: 'failing', failures_in_row: 20 })
    const on = await call(made, ['PATCH', '', { enabled: true }])
    expect(on.body).toMatchObject({ enabled: true, disabled_reason: null, failures_in_row: 0 })
  })

  test('stays disabled if a delivery disables it while it is renamed', async () => {
    const postgres = createPostgres({
      ...{ url: scene.database.url, applicationName: 'a delivery' },
      ...{ connectionsMax: 1, statementTimeoutMs: 5000 }
    })
    onEnd(() => postgres.close())
    const made = await make()
    const name = unusedName()
    const [renaming] = await postgres.transaction(async (transaction) => {
      await transaction.query(
        `update webhooks set enabled = false, disabled_reason = 'gone' where webhook_id = $1`,
        [made.webhook_id]
      )
      // The array prevents the transaction from awaiting the response, which arrives after its end.
      const calls = [call(made, ['PATCH', '', { name }])]
      await waitUntil('the change waits for the webhook', async () => {
        const waiting = await scene.database.query(
          `select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`
        )
        return waiting.length > 0
      })
      return calls
    })
    const renamed = await renaming
    expect(renamed?.body).toMatchObject({ name, enabled: false, disabled_reason: 'gone' })
  })

  test('does not exist for other organizations, and members cannot change it', async () => {
    const made = await make()
    const one = `${path}/${made.webhook_id}`
    const foreign = await scene.send<ProblemBody>({
      ...{ method: 'DELETE', path: one, organizationId: randomUUID() }
    })
    expect([foreign.status, foreign.body.code]).toEqual([404, 'webhook_not_found'])
    for (const below of ['', '/test', '/rotate-secret', `/deliveries/${randomUUID()}/redeliver`]) {
      const method = below === '' ? 'DELETE' : 'POST'
      const refused = await scene.send<ProblemBody>({ method, path: one + below, role: 'member' })
      expect([refused.status, refused.body.code]).toEqual([403, 'role_missing'])
    }
    expect((await scene.send({ method: 'GET', path: one, role: 'viewer' })).status).toBe(200)
  })
})

describe('rejects', () => {
  test.each([
    [{ url: 'ftp://example.org/' }, '/url'],
    [{ url: 'http://user:word@example.org/' }, '/url'],
    [{ url: 'http://169.254.169.254/latest' }, '/url'],
    [{ events: [] }, '/events'],
    [{ events: ['webhook.test'] }, '/events/0'],
    [{ events: ['threshold.crossed'] }, '/threshold'],
    [{ threshold }, '/events'],
    [{ unknown: 1 }, '/unknown'],
    [{ name: 'a\u0000' }, '/name']
  ])('%j', async (members, pointer) => {
    const refused = await scene.send<ProblemBody>({ method: 'POST', path, body: bodyOf(members) })
    expect(refused.status).toBe(422)
    expect(refused.body.errors?.map((error) => error.pointer)).toContain(pointer)
  })

  test.each([
    [{ value: 1.5 }, '/threshold/value'],
    [{ recovery_value: 0.8 }, '/threshold/recovery_value'],
    [{ window_minutes: 0 }, '/threshold/window_minutes'],
    [{ metric: 'median' }, '/threshold/metric']
  ])('a threshold with %j', async (members, pointer) => {
    const watched = { events: ['threshold.crossed'], threshold: { ...threshold, ...members } }
    const refused = await scene.send<ProblemBody>({ method: 'POST', path, body: bodyOf(watched) })
    expect(refused.status).toBe(422)
    expect(refused.body.errors?.map((error) => error.pointer)).toContain(pointer)
  })

  test('a duplicate name, and more webhooks than the maximum, created at once', async () => {
    const organizationId = randomUUID()
    const name = unusedName()
    await make({ name }, { organizationId })
    const post = (body: object) =>
      scene.send<ProblemBody>({ method: 'POST', path, body, organizationId })
    expect((await post(bodyOf({ name }))).body.code).toBe('name_taken')
    const bodies = Array.from({ length: webhooksMax + 3 }, () => bodyOf())
    const answers = await Promise.all(bodies.map(post))
    const codes = answers.map((answer) => answer.body.code)
    expect(codes.filter((code) => code === 'limit_reached')).toHaveLength(4)
  })
})

test('sends a signed test at once, and reports the result without the response body', async () => {
  const made = await make({ url: `${receiver.url}/tried` })
  const accepted = await call(made, ['POST', '/test'])
  expect(accepted.body).toMatchObject({ delivered: true, http_status: 204, error: null })
  const [received] = receiver.at('/tried')
  const headers = received?.headers as Record<string, string>
  const payload = new Verifier(made.secret).verify(received?.body ?? '', headers)
  expect(payload).toMatchObject({
    ...{ type: 'webhook.test', id: accepted.body['delivery_id'], webhook_id: made.webhook_id }
  })
  receiver.answer('/tried', (response) => void response.writeHead(500).end('an internal secret'))
  const failed = await call(made, ['POST', '/test'])
  expect(failed.body).toMatchObject({ delivered: false, http_status: 500 })
  expect(failed.text).not.toContain('an internal secret')
})

test('signs the next test with the new and the previous secret after a rotation', async () => {
  const made = await make({ url: `${receiver.url}/rotated` })
  const { body } = await call<Webhook>(made, ['POST', '/rotate-secret'])
  expect(body.secret).toMatch(/^whsec_/)
  expect(body.secret).not.toBe(made.secret)
  receiver.answer('/rotated', status(200))
  await call(made, ['POST', '/test'])
  const [received] = receiver.at('/rotated')
  const headers = received?.headers as Record<string, string>
  for (const secret of [body.secret, made.secret]) {
    expect(() => new Verifier(secret).verify(received?.body ?? '', headers)).not.toThrow()
  }
  await scene.database.query(
    'update webhooks set secret_before_until = now() where webhook_id = $1',
    [made.webhook_id]
  )
  await call(made, ['POST', '/test'])
  const [, later] = receiver.at('/rotated')
  const laterHeaders = later?.headers as Record<string, string>
  const verify = (secret: string) => new Verifier(secret).verify(later?.body ?? '', laterHeaders)
  expect(() => verify(body.secret)).not.toThrow()
  expect(() => verify(made.secret)).toThrow()
})

describe('deliveries', () => {
  async function deliver(webhook: Webhook, members: Record<string, unknown> = {}) {
    const delivery_id = randomUUID()
    await scene.database.query(
      `insert into webhook_deliveries (organization_id, delivery_id, webhook_id, event, payload,
                                       status, attempts, error, http_status)
       values ($1, $2, $3, 'evaluation.completed', '{}', $4, 3,
               'the receiver responded with 500', 500)`,
      [scene.organizationId, delivery_id, webhook.webhook_id, members['status'] ?? 'failed']
    )
    return delivery_id
  }

  test('are listed newest first, in pages, by status', async () => {
    const made = await make()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift(await deliver(made))
    await deliver(made, { status: 'delivered' })
    const seen: string[] = []
    let cursor: string | null = ''
    for (let pages = 0; cursor !== null && pages < 9; pages++) {
      const query: string = `?status=failed&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
      const answer = await call<Page>(made, ['GET', `/deliveries${query}`])
      seen.push(...answer.body.data.map((delivery) => delivery.delivery_id))
      cursor = answer.body.meta.next_cursor
    }
    expect(seen).toEqual(ids)
  })

  test('are sent again on request, with all their attempts', async () => {
    const made = await make()
    const id = await deliver(made)
    const again = await call(made, ['POST', `/deliveries/${id}/redeliver`])
    expect(again.status).toBe(202)
    expect(again.body).toMatchObject({ delivery_id: id, status: 'pending', attempts: 0 })
    for (const other of [randomUUID(), 'none']) {
      const unknown = await call<ProblemBody>(made, ['POST', `/deliveries/${other}/redeliver`])
      expect(unknown.status).toBe(404)
    }
    const other = await call<ProblemBody>(await make(), ['POST', `/deliveries/${id}/redeliver`])
    expect(other.body.code).toBe('delivery_not_found')
  })

  test('stay in flight when they are sent again on request', async () => {
    const made = await make()
    const id = await deliver(made, { status: 'pending' })
    const read = 'select taken_at::text from webhook_deliveries where delivery_id = $1'
    await scene.database.query(
      'update webhook_deliveries set taken_at = now() where delivery_id = $1',
      [id]
    )
    const before = await scene.database.query(read, [id])
    const again = await call(made, ['POST', `/deliveries/${id}/redeliver`])
    expect(again.status).toBe(202)
    expect(again.body).toMatchObject({ delivery_id: id, status: 'pending', attempts: 3 })
    expect(await scene.database.query(read, [id])).toEqual(before)
  })
})
