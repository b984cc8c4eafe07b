/** GET of /v1/evaluation/webhooks, all of them or one. */
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { listPage } from '../configuration/list-page.ts'
import type { PageQuery } from '../configuration/list-page.ts'
import { existing } from '../configuration/refusals.ts'
import type { Store } from '../store.ts'
import { readWebhook, readWebhooks, webhookView } from './stored-webhook.ts'

export function createShowWebhooks({ store }: { readonly store: Store }) {
  const listWebhooks: SessionHandle = async ({ principal, query }) => {
    const found = await readWebhooks(store.of(principal.organization_id))
    const sorted = found.toSorted((left, right) => (left.name < right.name ? -1 : 1))
    const { page, meta } = listPage(sorted, query as unknown as PageQuery, ({ name }) => name)
    return jsonReply(200, JSON.stringify({ data: page.map(webhookView), meta }))
  }

  const showWebhook: SessionHandle = async ({ principal, params }) => {
    const id = params['webhook_id'] ?? ''
    const found = await readWebhook(store.of(principal.organization_id), id)
    return jsonReply(200, JSON.stringify(webhookView(existing('webhook', found, id))))
  }

  return { listWebhooks, showWebhook }
}
