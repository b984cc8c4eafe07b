/** Tests, with all processes, that the delivery of a killed sender is sent again under the same
 * id.
 */
import { expect, test } from '@jest/globals'
import { createApiClient } from '../../../stack/tour/api-client.ts'
import { aDecisionBody } from '../../support/builders.ts'
import { clientOf, createInstallation } from '../../support/installation.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { startWebhookReceiver, status } from '../../support/webhook-receiver.ts'

const patienceMs = 90_000

test(
  'sends the delivery of a killed sender again, under the same id',
  async () => {
    const sluice = await createInstallation()
    const gateway = await sluice.start('gateway')
    const evaluation = await sluice.start('evaluation')
    await sluice.start('storage')
    const tenant = await sluice.createTenant()
    const receiver = await startWebhookReceiver()
    receiver.answer('/hook', () => {})

    const login = await createApiClient(gateway.url).login(tenant.email, tenant.password)
    const made = await fetch(`${gateway.url}/v1/evaluation/webhooks`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${String(login.body['access_token'])}`,
        'content-type': 'application/json'
      },
      body: JSON.stringify({
        ...{ name: 'all', url: `${receiver.url}/hook`, events: ['evaluation.completed'] }
      })
    })
    expect(made.status).toBe(201)

    const decisionId = await clientOf(gateway, tenant).accept(aDecisionBody())
    await waitUntil('it is being sent', () => receiver.at('/hook').length > 0, patienceMs)
    await evaluation.kill()
    receiver.answer('/hook', status(204))
    await sluice.start('evaluation')
    await waitUntil(
      'it is delivered',
      async () => {
        const rows = await sluice.database.query<{ status: string }>(
          'select status from webhook_deliveries'
        )
        return rows.length === 1 && rows[0]?.status === 'delivered'
      },
      patienceMs
    )

    const received = receiver.at('/hook')
    expect(received.length).toBeGreaterThan(1)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    const payload = JSON.parse(received[0]?.body ?? '') as Record<string, unknown>
    expect(payload).toMatchObject({
      ...{ type: 'evaluation.completed', decision_id: decisionId, status: 'evaluated' },
      ...{ id: received[0]?.headers['webhook-id'], verdict: 'pass', agent_id: 'refund-agent' }
    })
    expect(received[0]?.body).not.toContain('shoes')
  },
  3 * patienceMs
)
