/** GET of /v1/evaluation/rules, all of them or one. */
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { listPage } from '../configuration/list-page.ts'
import type { PageQuery } from '../configuration/list-page.ts'
import { existing } from '../configuration/refusals.ts'
import { jsonListOf } from '../json-list.ts'
import type { Store } from '../store.ts'
import { readRule, readRules, ruleView } from './rule-rows.ts'

export function createShowRules({ store }: { readonly store: Store }) {
  const listRules: SessionHandle = async ({ principal, query }) => {
    const rules = await readRules(store.of(principal.organization_id))
    const { page, meta } = listPage(
      rules,
      query as unknown as PageQuery,
      ({ rule }) => rule.rule_id
    )
    const data = await jsonListOf(page, ruleView)
    return jsonReply(200, `{"data":${data},"meta":${JSON.stringify(meta)}}`)
  }

  const showRule: SessionHandle = async ({ principal, params }) => {
    const id = params['rule_id'] ?? ''
    const found = await readRule(store.of(principal.organization_id), id)
    return jsonReply(200, JSON.stringify(ruleView(existing('rule', found, id))))
  }

  return { listRules, showRule }
}
