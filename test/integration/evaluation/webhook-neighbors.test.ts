/** Tests that webhooks of one organization are sent while all receivers of another hang. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { failedAttemptsMax } from '../../../consumers/evaluation/webhooks/delivery.ts'
import { perOrganizationMax } from '../../../consumers/evaluation/webhooks/take-deliveries.ts'
import { webhookTimeoutMs } from '../../../platform/http-client/post-webhook.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { status } from '../../support/webhook-receiver.ts'
import { startSendingWebhooks } from './sending-webhooks.ts'

test('delays only the organization whose receivers hang', async () => {
  const { scene, receiver } = await startSendingWebhooks()
  receiver.answer('/silent', () => {})
  const organization_id = randomUUID()
  for (let n = 0; n < 20; n++) {
    const silent = await scene.aWebhook(`${receiver.url}/silent`, { organization_id })
    for (let delivery = 0; delivery < 8; delivery++) await scene.aDelivery(silent)
  }
  await waitUntil('the silent receivers have their share', () => {
    return receiver.at('/silent').length >= perOrganizationMax
  })
  const other = await scene.aWebhook(`${receiver.url}/other`)
  const before = performance.now()
  await scene.aDelivery(other)
  await waitUntil('the other one is notified', () => receiver.at('/other').length > 0)
  expect(performance.now() - before).toBeLessThan(webhookTimeoutMs / 2)
  expect(receiver.at('/silent')).toHaveLength(perOrganizationMax)
})

test('counts failed attempts in a row until one succeeds', async () => {
  const { scene, receiver } = await startSendingWebhooks()
  receiver.answer('/failing', status(500))
  const failing = await scene.aWebhook(`${receiver.url}/failing`)
  for (let n = 0; n <= failedAttemptsMax; n++) await scene.aDelivery(failing)
  const counted = async () => (await scene.webhook(failing))['failed_attempts'] as number
  await waitUntil('they failed', async () => (await counted()) === failedAttemptsMax)
  receiver.answer('/failing', status(204))
  await scene.aDelivery(failing)
  await waitUntil('one succeeded', async () => (await counted()) === 0)
})
