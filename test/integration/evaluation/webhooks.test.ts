/** Tests sending webhooks from a real database over HTTP to receivers that accept, fail or hang. */
import { createHmac } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { attemptsMax, failuresMax } from '../../../consumers/evaluation/webhooks/delivery.ts'
import { perWebhookMax } from '../../../consumers/evaluation/webhooks/take-deliveries.ts'
import { createMetrics } from '../../../platform/telemetry/metrics.ts'
import { createSealer } from '../../../platform/security/sealed-secret.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { status } from '../../support/webhook-receiver.ts'
import type { Received, WebhookReceiver } from '../../support/webhook-receiver.ts'
import { secretsKey, startSendingWebhooks } from './sending-webhooks.ts'
import type { DeliveryRow, WebhookScene } from './webhook-scene.ts'

let receiver: WebhookReceiver
let scene: WebhookScene
const metrics = createMetrics()

beforeAll(async () => {
  ;({ scene, receiver } = await startSendingWebhooks(metrics))
})

async function becomes(id: string, isSo: (row: DeliveryRow) => boolean): Promise<DeliveryRow> {
  let row = await scene.delivery(id)
  await waitUntil(`delivery ${id}`, async () => {
    row = await scene.delivery(id)
    return isSo(row)
  })
  return row
}

const ended = (row: DeliveryRow): boolean => row.status !== 'pending'
const attempted = (row: DeliveryRow): boolean => row.http_status !== null || row.error !== null

function signatureOf(secret: string, { headers, body }: Received): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

test('signs the id, the time and the sent bytes', async () => {
  const webhook = await scene.aWebhook(`${receiver.url}/signed`)
  const id = await scene.aDelivery(webhook)
  expect(await becomes(id, ended)).toMatchObject({
    ...{ status: 'delivered', attempts: 1, http_status: 204, error: null }
  })
  const [received, ...more] = receiver.at('/signed')
  if (received === undefined) throw new Error('nothing received')
  expect(more).toEqual([])
  expect(received.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-signature': signatureOf(webhook.secret, received)
  })
  const sentAt = Number(received.headers['webhook-timestamp']) * 1000
  expect(Math.abs(sentAt - Date.now())).toBeLessThan(60_000)
  expect(JSON.parse(received.body)).toEqual({ id, text: 'Grüße' })
})

test('retries under the same id after an error', async () => {
  let answers = 0
  receiver.answer('/shaky', (response) => {
    answers += 1
    response.writeHead(answers === 1 ? 500 : 200).end('not read')
  })
  const id = await scene.aDelivery(await scene.aWebhook(`${receiver.url}/shaky`))
  expect(await becomes(id, ended)).toMatchObject({ status: 'delivered', attempts: 2 })
  const ids = receiver.at('/shaky').map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([id, id])
})

test('waits as long as the receiver asks', async () => {
  receiver.answer('/busy', status(503, { 'retry-after': '120' }))
  const id = await scene.aDelivery(await scene.aWebhook(`${receiver.url}/busy`))
  const row = await becomes(id, attempted)
  expect(row).toMatchObject({ status: 'pending', attempts: 1, http_status: 503 })
  expect(row.wait_ms).toBeGreaterThan(100_000)
})

test('follows no redirect, and reports it', async () => {
  receiver.answer('/moved', status(307, { location: `${receiver.url}/elsewhere` }))
  const id = await scene.aDelivery(await scene.aWebhook(`${receiver.url}/moved`))
  const row = await becomes(id, attempted)
  expect(row).toMatchObject({ status: 'pending', http_status: 307 })
  expect(row.error).toContain('redirects are not followed')
  expect(receiver.at('/elsewhere')).toEqual([])
})

test('ends the delivery and disables the webhook after a 410', async () => {
  receiver.answer('/gone', status(410))
  const webhook = await scene.aWebhook(`${receiver.url}/gone`)
  const id = await scene.aDelivery(webhook)
  expect(await becomes(id, ended)).toMatchObject({ status: 'failed', http_status: 410 })
  const switched = await scene.webhook(webhook)
  expect(switched).toMatchObject({ enabled: false, disabled_reason: 'gone' })
})

test('disables a webhook after failures in a row, which a success resets', async () => {
  receiver.answer('/failing', status(500))
  const lastAttempt = { attempts: attemptsMax - 1 }
  const [failing, well] = [
    await scene.aWebhook(`${receiver.url}/failing`),
    await scene.aWebhook(`${receiver.url}/well`, { failures_in_row: failuresMax - 1 })
  ]
  const ids = await Promise.all(
    Array.from({ length: failuresMax }, () => scene.aDelivery(failing, lastAttempt))
  )
  await Promise.all(ids.map((id) => becomes(id, ended)))
  expect(await scene.webhook(failing)).toMatchObject({
    ...{ enabled: false, disabled_reason: 'failing', failures_in_row: failuresMax }
  })
  await becomes(await scene.aDelivery(well), ended)
  const still = await scene.webhook(well)
  expect(still).toMatchObject({ enabled: true, disabled_reason: null, failures_in_row: 0 })
  const later = await scene.aDelivery(failing)
  await becomes(await scene.aDelivery(well), ended)
  expect(await scene.delivery(later)).toMatchObject({ status: 'pending', attempts: 0 })
})

test('delays only the deliveries of a receiver that never responds', async () => {
  receiver.answer('/silent', () => {})
  const silent = await scene.aWebhook(`${receiver.url}/silent`)
  const other = await scene.aWebhook(`${receiver.url}/other`)
  for (let n = 0; n < 3 * perWebhookMax; n++) await scene.aDelivery(silent)
  await waitUntil('the silent receiver has its share', () => {
    return Promise.resolve(receiver.at('/silent').length >= perWebhookMax)
  })
  const ids = await Promise.all(Array.from({ length: 40 }, () => scene.aDelivery(other)))
  await Promise.all(ids.map((id) => becomes(id, ended)))
  expect(receiver.at('/silent')).toHaveLength(perWebhookMax)
  expect(receiver.at('/other')).toHaveLength(40)
})

test('ends expired deliveries and those of deleted webhooks unsent', async () => {
  const deleted = await scene.aWebhook(`${receiver.url}/deleted`, { deleted_at: new Date() })
  const ofDeleted = await scene.aDelivery(deleted)
  const off = await scene.aWebhook(`${receiver.url}/off`, { enabled: false })
  const late = await scene.aDelivery(off, { expires_at: new Date(Date.now() - 1000) })
  expect(await becomes(ofDeleted, ended)).toMatchObject({ status: 'failed', attempts: 0 })
  const row = await becomes(late, ended)
  expect(row).toMatchObject({ status: 'failed', attempts: 0, error: 'the delivery expired' })
  expect([...receiver.at('/deleted'), ...receiver.at('/off')]).toEqual([])
})

test('signs with both secrets during a rotation', async () => {
  const [before, webhook] = [
    await scene.aWebhook(`${receiver.url}/x`),
    await scene.aWebhook(`${receiver.url}/both`)
  ]
  const sealer = createSealer(secretsKey)
  const context = `${webhook.organization_id}/${webhook.webhook_id}`
  await scene.change(webhook, {
    secret_before_sealed: sealer.seal(before.secret, context),
    secret_before_until: new Date(Date.now() + 60_000)
  })
  await becomes(await scene.aDelivery(webhook), ended)
  const [received] = receiver.at('/both')
  if (received === undefined) throw new Error('nothing received')
  const signatures = String(received.headers['webhook-signature']).split(' ')
  expect(signatures).toEqual([
    signatureOf(webhook.secret, received),
    signatureOf(before.secret, received)
  ])
})

test('counts each attempt by its outcome', async () => {
  const { text: page } = await metrics.expose()
  for (const outcome of ['delivered', 'retried', 'failed', 'expired']) {
    const labels = `event="evaluation.completed",outcome="${outcome}"`
    expect(page).toMatch(new RegExp(`sluice_webhook_deliveries_total[{]${labels}[}] [1-9]`))
  }
})
