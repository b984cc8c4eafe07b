/** GET of /v1/evaluation/evaluators: all, one, its versions. */
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { cursorOf, listPage, versionBefore } from '../configuration/list-page.ts'
import type { PageQuery } from '../configuration/list-page.ts'
import { existing } from '../configuration/refusals.ts'
import type { Store } from '../store.ts'
import { builtInStored, evaluatorView, readEvaluator } from './evaluator-rows.ts'
import { readEvaluatorNames, readEvaluators } from './evaluator-rows.ts'
import { readVersion, readVersions } from './evaluator-rows.ts'

export function createShowEvaluators({ store }: { readonly store: Store }) {
  const listEvaluators: SessionHandle = async ({ principal, query }) => {
    const ours = store.of(principal.organization_id)
    const listed = entriesOf(await readEvaluatorNames(ours))
    const { page, meta } = listPage(listed, query as unknown as PageQuery, ({ key }) => key)
    const ids = page.map(({ evaluator_id }) => evaluator_id)
    const found = new Map(
      (await readEvaluators(ours, ids)).map((each) => [each.version.evaluator_id, each])
    )
    const data = ids.flatMap((id) => found.get(id) ?? []).map(evaluatorView)
    return jsonReply(200, JSON.stringify({ data, meta }))
  }

  const showEvaluator: SessionHandle = async ({ principal, params }) => {
    const id = params['evaluator_id'] ?? ''
    const found = await readEvaluator(store.of(principal.organization_id), id)
    return jsonReply(200, JSON.stringify(evaluatorView(existing('evaluator', found, id))))
  }

  const listVersions: SessionHandle = async ({ principal, params, query }) => {
    const id = params['evaluator_id'] ?? ''
    const ours = store.of(principal.organization_id)
    existing('evaluator', await readEvaluator(ours, id), id)
    const { limit, cursor } = query as unknown as PageQuery
    const rows = await readVersions(ours, id, { below: versionBefore(cursor), rowsMax: limit + 1 })
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    const next_cursor = last === undefined ? null : cursorOf(String(last.version.version))
    const data = page.map(evaluatorView)
    return jsonReply(200, JSON.stringify({ data, meta: { next_cursor, limit } }))
  }

  const showVersion: SessionHandle = async ({ principal, params }) => {
    const { evaluator_id: id = '', version = '' } = params
    const found = await readVersion(store.of(principal.organization_id), id, Number(version))
    const name = `${id}, version ${version}`
    return jsonReply(200, JSON.stringify(evaluatorView(existing('evaluator', found, name))))
  }

  return { listEvaluators, showEvaluator, listVersions, showVersion }
}

interface Entry {
  readonly evaluator_id: string
  readonly key: string
}

/** Built-in ones in their own order, then the others by name. */
function entriesOf(names: readonly { evaluator_id: string; name: string }[]): Entry[] {
  const first = builtInStored.map(({ version }, index) => {
    return { evaluator_id: version.evaluator_id, key: `0${String(index).padStart(3, '0')}` }
  })
  const own = names.map(({ evaluator_id, name }) => ({ evaluator_id, key: `1${name}` }))
  return [...first, ...own.toSorted((left, right) => (left.key < right.key ? -1 : 1))]
}
