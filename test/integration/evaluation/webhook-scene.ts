/** Creates a test scene with webhooks and pending deliveries, as storage and the gateway write
 * them.
 */
import { randomUUID } from 'node:crypto'
import { createSealer, secretContextOf } from '../../../platform/security/sealed-secret.ts'
import { newWebhookSecret } from '../../../platform/http-client/webhook-signature.ts'
import type { TestDatabase } from '../../support/database.ts'

export interface Webhook {
  readonly organization_id: string
  readonly webhook_id: string
  readonly secret: string
}

export interface DeliveryRow extends Record<string, unknown> {
  readonly status: string
  readonly attempts: number
  readonly http_status: number | null
  readonly error: string | null
  /** Time until the next attempt, in milliseconds. */
  readonly wait_ms: number
}

export interface WebhookScene {
  aWebhook(url: string, columns?: Readonly<Record<string, unknown>>): Promise<Webhook>
  /** Inserts a delivery and returns its ID. */
  aDelivery(webhook: Webhook, columns?: Readonly<Record<string, unknown>>): Promise<string>
  change(webhook: Webhook, columns: Readonly<Record<string, unknown>>): Promise<void>
  delivery(id: string): Promise<DeliveryRow>
  webhook(webhook: Webhook): Promise<Record<string, unknown>>
}

export function createWebhookScene(database: TestDatabase, secretsKey: string): WebhookScene {
  const sealer = createSealer(secretsKey)

  async function insert(table: string, row: Readonly<Record<string, unknown>>): Promise<void> {
    const names = Object.keys(row)
    await database.query(
      `insert into ${table} (${names.join(', ')})
       values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(row)
    )
  }

  return {
    aWebhook: async (url, columns = {}) => {
      const organization_id = (columns['organization_id'] ?? randomUUID()) as string
      const webhook_id = `whk_${randomUUID().replaceAll('-', '')}`
      const secret = newWebhookSecret()
      const context = secretContextOf(organization_id, webhook_id)
      await insert('webhooks', {
        ...{ organization_id, webhook_id, name: webhook_id, url },
        secret_sealed: sealer.seal(secret, context),
        events: ['evaluation.completed'],
        ...columns
      })
      return { organization_id, webhook_id, secret }
    },
    aDelivery: async ({ organization_id, webhook_id }, columns = {}) => {
      const delivery_id = randomUUID()
      const payload = JSON.stringify({ id: delivery_id, text: 'Grüße' })
      const event = 'evaluation.completed'
      const row = { organization_id, webhook_id, delivery_id, event, payload, ...columns }
      await insert('webhook_deliveries', row)
      return delivery_id
    },
    change: async ({ webhook_id }, columns) => {
      const changes = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`)
      await database.query(`update webhooks set ${changes.join(', ')} where webhook_id = $1`, [
        webhook_id,
        ...Object.values(columns)
      ])
    },
    delivery: async (id) => {
      const [row] = await database.query<DeliveryRow>(
        `select status, attempts, http_status, error,
                (extract(epoch from next_attempt_at - now()) * 1000)::integer as wait_ms
           from webhook_deliveries where delivery_id = $1`,
        [id]
      )
      if (row === undefined) throw new Error(`delivery ${id} does not exist`)
      return row
    },
    webhook: async ({ webhook_id }) => {
      const [row] = await database.query(`select * from webhooks where webhook_id = $1`, [
        webhook_id
      ])
      return row ?? {}
    }
  }
}
