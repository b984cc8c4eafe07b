/** Routes for webhooks and their deliveries. */
import { uuidPattern, uuidv7 } from '../../core/ids/ids.ts'
import { prefixedId } from '../../core/ids/prefixed-id.ts'
import { testEvent } from '../../core/webhook.ts'
import { oneOf, optional, text } from '../../http/schema.ts'
import { admin, session } from '../../http/typed-route.ts'
import { newWebhookSecret } from '../../platform/http-client/webhook-signature.ts'
import { limitReached, refuseName } from '../configuration/problems.ts'
import { changeOf, withOrganizationLock } from '../configuration/with-organization-lock.ts'
import { pick } from '../evaluation-run.ts'
import { deletedOf, listPage, pageOf, pageQuery, timePage, timePageOf } from '../page.ts'
import { timeParameters } from '../page.ts'
import { routesOf } from '../services.ts'
import * as queries from './queries.ts'
import type { StoredWebhook } from './queries.ts'
import * as schemas from './schemas.ts'
import { refuseWebhook, webhookDraftOf } from './webhook-draft.ts'

export const webhooksMax = 20

const path = '/v1/evaluation/webhooks'
const route = routesOf('webhooks')
const params = schemas.webhookParams

export const webhookRoutes = [
  route({
    method: 'get',
    path,
    who: session,
    id: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Lists webhooks by name. Webhooks notify you of evaluations and thresholds.',
    query: pageQuery('entries'),
    answers: { 200: { description: 'A page of webhooks.', schema: pageOf(schemas.webhook) } },
    problems: ['invalid_query'],
    handle: async ({ principal, query, reply }, { store }) => {
      const found = await queries.readWebhooks(store.of(principal.organization_id))
      const { data, meta } = listPage(found, query, 'name')
      return reply(200, { data: data.map(webhookView), meta })
    }
  }),
  route({
    method: 'post',
    path,
    who: admin,
    id: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Creates a webhook, which receives the events that happen from then on, starting within ' +
      'five seconds. The secret is shown only in this response. An organization can have at ' +
      `most ${webhooksMax} webhooks.`,
    body: schemas.newWebhook,
    answers: {
      201: { description: 'The new webhook, with its secret.', schema: schemas.webhookWithSecret }
    },
    problems: ['name_taken', 'limit_reached', 'secrets_key_missing'],
    handle: async (call, { store, clock, outbound, secrets }) => {
      const draft = webhookDraftOf(call.body, null)
      refuseWebhook(draft, outbound)
      const id = prefixedId('whk', clock.now())
      const secret = newWebhookSecret()
      const sealed = secrets.seal(secret, call.principal.organization_id, id)
      const created = await withOrganizationLock(store, call, async (edit) => {
        const others = await queries.readWebhooks(edit)
        if (others.length >= webhooksMax) throw limitReached('webhooks', webhooksMax)
        refuseName(draft.name, others)
        await queries.insertWebhook(edit, id, { ...draft, sealed })
        await edit.audit('webhook.created', id, { name: draft.name })
        return await queries.readWebhook(edit, id)
      })
      return call.reply(201, { ...webhookView(created), secret })
    }
  }),
  route({
    method: 'get',
    path: `${path}/:webhook_id`,
    who: session,
    id: 'showWebhook',
    summary: 'Get a webhook',
    description:
      'Returns the webhook with the state of its threshold, and why it is disabled if it is.',
    params,
    answers: { 200: { description: 'The webhook.', schema: schemas.webhook } },
    problems: ['webhook_not_found'],
    handle: async ({ principal, params: { webhook_id: id }, reply }, { store }) => {
      const found = await queries.readWebhook(store.of(principal.organization_id), id)
      return reply(200, webhookView(found))
    }
  }),
  route({
    method: 'patch',
    path: `${path}/:webhook_id`,
    who: admin,
    id: 'changeWebhook',
    summary: 'Update a webhook',
    description:
      'Fields that you leave out keep their values. A changed threshold starts in the state ' +
      '`ok`. `enabled: true` enables the webhook again; deliveries that have waited for less ' +
      'than a day are then sent.',
    params,
    body: schemas.webhookChange,
    answers: { 200: { description: 'The updated webhook.', schema: schemas.webhook } },
    problems: ['webhook_not_found', 'name_taken'],
    handle: async (call, { store, outbound }) => {
      const id = call.params.webhook_id
      const changed = await withOrganizationLock(store, call, async (edit) => {
        // Locks the row, because a delivery can disable the webhook without the organization lock.
        const before = await queries.readWebhook(edit, id, 'for update')
        const draft = webhookDraftOf(call.body, before)
        refuseWebhook(draft, outbound)
        const all = await queries.readWebhooks(edit)
        const others = all.filter(({ webhook_id }) => webhook_id !== id)
        refuseName(draft.name, others)
        await queries.updateWebhook(edit, before, draft)
        await edit.audit('webhook.changed', id, changeOf(draft, call.body))
        return await queries.readWebhook(edit, id)
      })
      return call.reply(200, webhookView(changed))
    }
  }),
  route({
    method: 'delete',
    path: `${path}/:webhook_id`,
    who: admin,
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes the webhook. Its pending deliveries are not sent.',
    params,
    answers: {
      200: {
        description: 'The webhook is deleted.',
        schema: deletedOf('webhook_id', schemas.webhook)
      }
    },
    problems: ['webhook_not_found'],
    handle: async (call, { store }) => {
      const id = call.params.webhook_id
      await withOrganizationLock(store, call, async (edit) => {
        const { name } = await queries.readWebhook(edit, id)
        await edit.audit('webhook.deleted', id, { name })
        await queries.deleteWebhook(edit, id)
      })
      return call.reply(200, { webhook_id: id, deleted: true })
    }
  }),
  route({
    method: 'post',
    path: `${path}/:webhook_id/test`,
    who: admin,
    id: 'testWebhook',
    summary: 'Test a webhook',
    description:
      `Posts one signed \`${testEvent}\` event and returns the result. If the receiver does ` +
      'not respond, the status is still 200.',
    params,
    answers: { 200: { description: 'The result of the test.', schema: schemas.testResult } },
    problems: ['webhook_not_found', 'secrets_key_missing'],
    /**
     * Sends the event even if the webhook is disabled, and does not change the webhook. Shows the
     * status but not the body of the response, so that a webhook cannot be used to read from
     * internal servers.
     */
    handle: async ({ principal, params: { webhook_id }, reply }, services) => {
      const { store, clock, postWebhook } = services
      const { organization_id } = principal
      const webhook = await queries.readWebhook(store.of(organization_id), webhook_id)
      const { name, url, secret_sealed, secret_before_sealed } = webhook
      // Newest first. Receivers may still use the previous secret.
      const secrets = [secret_sealed, secret_before_sealed].flatMap((sealed) =>
        sealed === null ? [] : services.secrets.open(sealed, organization_id, webhook_id)
      )
      const begunAt = clock.now()
      const id = uuidv7(begunAt)
      const created_at = new Date(begunAt).toISOString()
      const event = { id, type: testEvent, created_at, organization_id, webhook_id, name }
      const sent = await postWebhook({ url, id, payload: JSON.stringify(event), secrets })
      return reply(200, {
        delivery_id: id,
        delivered: sent.outcome === 'delivered',
        http_status: sent.http_status,
        error: sent.error,
        duration_ms: clock.now() - begunAt
      })
    }
  }),
  route({
    method: 'post',
    path: `${path}/:webhook_id/rotate-secret`,
    who: admin,
    id: 'rotateWebhookSecret',
    summary: 'Rotate a webhook secret',
    description:
      `Creates a new secret. For ${queries.secretOverlapHours} hours, each delivery is signed ` +
      'with both secrets, so that receivers can switch without interruption.',
    params,
    answers: {
      200: { description: 'The webhook, with its new secret.', schema: schemas.webhookWithSecret }
    },
    problems: ['webhook_not_found', 'secrets_key_missing'],
    handle: async (call, { store, secrets }) => {
      const id = call.params.webhook_id
      const secret = newWebhookSecret()
      const sealed = secrets.seal(secret, call.principal.organization_id, id)
      const rotated = await withOrganizationLock(store, call, async (edit) => {
        const { name } = await queries.readWebhook(edit, id)
        await queries.replaceSecret(edit, id, sealed)
        await edit.audit('webhook.secret_rotated', id, { name })
        return await queries.readWebhook(edit, id)
      })
      return call.reply(200, { ...webhookView(rotated), secret })
    }
  }),
  route({
    method: 'get',
    path: `${path}/:webhook_id/deliveries`,
    who: session,
    id: 'listDeliveries',
    summary: 'List webhook deliveries',
    description:
      'Lists deliveries and their results, newest first. Send the same filters with every ' +
      'page. Deliveries that have ended are kept for 30 days.',
    params,
    query: {
      ...timeParameters('Created'),
      status: optional(
        oneOf(['pending', 'delivered', 'failed'], {
          description: 'Only deliveries with this status.'
        })
      ),
      ...pageQuery('deliveries')
    },
    answers: { 200: { description: 'A page of deliveries.', schema: pageOf(schemas.delivery) } },
    problems: ['webhook_not_found', 'invalid_query'],
    handle: async ({ principal, params: { webhook_id }, query, reply }, { store, clock }) => {
      const { from, to, status } = query
      const filters = { from, to, status, webhook_id }
      const page = timePageOf(filters, query.cursor, clock.now())
      const ours = store.of(principal.organization_id)
      await queries.readWebhook(ours, webhook_id)
      const rowsMax = query.limit + 1
      const rows = await queries.readDeliveries(ours, webhook_id, { status, page, rowsMax })
      return reply(200, timePage(rows, { limit: query.limit, filters, id: 'delivery_id' }))
    }
  }),
  route({
    method: 'post',
    path: `${path}/:webhook_id/deliveries/:delivery_id/redeliver`,
    who: admin,
    id: 'redeliver',
    summary: 'Resend a webhook delivery',
    description:
      'Makes a delivery of any status due immediately, with the full number of attempts and ' +
      'with the same `webhook-id` and body. A receiver can detect duplicates by the ' +
      '`webhook-id`. A delivery in progress is not sent a second time; if it fails, it is ' +
      'retried as usual.',
    params: {
      ...params,
      delivery_id: text({
        pattern: uuidPattern,
        description: 'The `delivery_id` from the list of deliveries.'
      })
    },
    answers: { 202: { description: 'The delivery is due.', schema: schemas.delivery } },
    problems: ['webhook_not_found', 'delivery_not_found'],
    handle: async ({ principal, params: { webhook_id, delivery_id }, reply }, { store }) => {
      const ours = store.of(principal.organization_id)
      await queries.readWebhook(ours, webhook_id)
      return reply(202, await queries.resendDelivery(ours, webhook_id, delivery_id))
    }
  })
]

/** Converts a webhook to its API form, which has no secrets. */
function webhookView(stored: StoredWebhook): schemas.WebhookView {
  const members = Object.keys(schemas.webhook.properties) as (keyof schemas.WebhookView)[]
  const webhook = pick(stored, members)
  return webhook.threshold === null ? { ...webhook, state: null, state_since: null } : webhook
}
